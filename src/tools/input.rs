//! Tool input: the schema that the model is given, and reading what it sends. The usual slips of models
//! are mended here, by the schema, so that no tool needs to; what cannot be mended is explained.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};

use super::ToolError;
use crate::provider::ToolSpec;

/// Names that models use for a field of ours. They count only where the tool has the field and no field
/// of the other name.
const ALIASES: [(&str, &str); 15] = [
    ("file_path", "path"),
    ("filepath", "path"),
    ("filename", "path"),
    ("file", "path"),
    ("directory", "path"),
    ("cmd", "command"),
    ("old_str", "old_string"),
    ("old_text", "old_string"),
    ("new_str", "new_string"),
    ("new_text", "new_string"),
    ("contents", "content"),
    ("file_text", "content"),
    ("regex", "pattern"),
    ("output_mode", "output"),
    ("run_in_background", "background"),
];

/// The JSON Schema of an input type, reduced to what providers accept and a model needs.
pub(super) fn schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft07().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    simplify(&mut schema);
    if let Value::Object(top) = &mut schema {
        top.remove("description");
        top.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    schema
}

/// Drops titles, number formats and nullable unions: noise to a model, and refused by some servers.
fn simplify(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    map.retain(|key, value| match key.as_str() {
        "title" | "format" | "minimum" => false,
        "default" => !value.is_null(),
        _ => true,
    });
    if let Some(Value::Array(types)) = map.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            map.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = map.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    merge_optional(map);
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        properties.values_mut().for_each(simplify);
    }
    map.get_mut("items").into_iter().for_each(simplify);
    for key in ["anyOf", "oneOf", "allOf"] {
        map.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten().for_each(simplify);
    }
}

/// `anyOf: [X, null]` is how an optional enum comes out; it becomes X.
fn merge_optional(map: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = map.get_mut("anyOf") else { return };
    choices.retain(|choice| choice["type"] != "null");
    if let [Value::Object(only)] = choices.as_mut_slice() {
        let only = std::mem::take(only);
        map.remove("anyOf");
        only.into_iter().for_each(|(key, value)| {
            map.entry(key).or_insert(value);
        });
    }
}

/// Reads an input, naming the field at fault, what was expected and what came.
pub(super) fn parse<T: DeserializeOwned>(spec: &ToolSpec, input: &Map<String, Value>) -> Result<T, ToolError> {
    let input = mend(spec, input);
    if let Some(problem) = problem(spec, &input) {
        return Err(invalid(spec, &problem));
    }
    T::deserialize(Value::Object(input)).map_err(|error| invalid(spec, &error.to_string()))
}

fn invalid(spec: &ToolSpec, problem: &str) -> ToolError {
    ToolError::new(format!("Invalid input for {}: {problem}. It takes {}.", spec.name, takes(spec)))
}

/// The input with the usual slips put right: other names of a field, numbers and booleans in quotes,
/// text without them, null for what is left out.
fn mend(spec: &ToolSpec, input: &Map<String, Value>) -> Map<String, Value> {
    let Some(fields) = spec.schema["properties"].as_object() else { return input.clone() };
    let canonical = |name: &str| {
        let alias = ALIASES.iter().find(|(other, _)| *other == name).map(|(_, field)| *field);
        alias.filter(|field| !fields.contains_key(name) && fields.contains_key(*field) && !input.contains_key(*field))
    };
    let mended = input.iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| {
        let name = canonical(name).unwrap_or(name);
        let kind = fields.get(name).and_then(|field| field["type"].as_str());
        (name.to_owned(), kind.and_then(|kind| mend_value(kind, value)).unwrap_or_else(|| value.clone()))
    });
    mended.collect()
}

/// The value as the type that the schema asks for, if it is plainly meant so.
fn mend_value(kind: &str, value: &Value) -> Option<Value> {
    match (kind, value) {
        ("integer", Value::String(text)) => text.trim().parse::<i64>().ok().map(Value::from),
        ("number", Value::String(text)) => text.trim().parse().ok().and_then(Number::from_f64).map(Value::Number),
        ("integer", Value::Number(number)) => {
            let float = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0)?;
            // Beyond 2^53 a float is no longer exact; nobody means such a number.
            (float.abs() < 9e15).then(|| Value::from(float as i64))
        }
        ("boolean", Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        ("string", Value::Number(_) | Value::Bool(_)) => Some(Value::String(value.to_string())),
        _ => None,
    }
}

/// What is wrong with the input by the schema, the first field first.
fn problem(spec: &ToolSpec, input: &Map<String, Value>) -> Option<String> {
    let missing = required(spec).find(|name| !input.contains_key(*name));
    if let Some(name) = missing {
        return Some(format!("\"{name}\" is missing"));
    }
    spec.schema["properties"].as_object()?.iter().find_map(|(name, field)| {
        let value = input.get(name)?;
        let expected = expectation(field, value)?;
        Some(format!("\"{name}\" must be {expected}, got {}", brief(value)))
    })
}

/// What a value should have been; `None` when it is.
fn expectation(field: &Value, value: &Value) -> Option<String> {
    if let Some(choices) = field["enum"].as_array() {
        let listed = || choices.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        return (!choices.contains(value)).then(|| format!("one of {}", listed()));
    }
    let (fits, expected) = match field["type"].as_str()? {
        "string" => (value.is_string(), "a string"),
        // All whole numbers of our tools count something.
        "integer" => (value.as_u64().is_some(), "a whole number, 0 or more"),
        "number" => (value.is_number(), "a number"),
        "boolean" => (value.is_boolean(), "true or false"),
        "array" => (value.is_array(), "an array"),
        "object" => (value.is_object(), "an object"),
        _ => (true, ""),
    };
    (!fits).then(|| expected.to_owned())
}

/// A value as JSON, cut if it is long.
fn brief(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn required(spec: &ToolSpec) -> impl Iterator<Item = &str> {
    spec.schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// The input in one line: `path (string), limit? (integer)`.
fn takes(spec: &ToolSpec) -> String {
    let fields = spec.schema["properties"].as_object().into_iter().flatten().map(|(name, field)| {
        let mark = if required(spec).any(|required| required == name) { "" } else { "?" };
        format!("{name}{mark} ({})", field["type"].as_str().unwrap_or("any"))
    });
    fields.collect::<Vec<_>>().join(", ")
}
