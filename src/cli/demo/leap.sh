# is_leap YEAR: succeeds when YEAR is a leap year of the Gregorian calendar.
is_leap() {
  (( $1 % 4 == 0 ))
}
