//! Tests of this capability.
