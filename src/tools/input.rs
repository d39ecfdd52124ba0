//! Tool input: the schema that the model is given, and reading what it sends.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::ToolError;
use crate::provider::ToolSpec;

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
    match schema {
        Value::Object(map) => {
            map.remove("title");
            map.remove("format");
            map.remove("minimum");
            if map.get("default").is_some_and(Value::is_null) {
                map.remove("default");
            }
            if let Some(Value::Array(types)) = map.get_mut("type") {
                types.retain(|kind| kind != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    map.insert("type".to_owned(), only);
                }
            }
            map.values_mut().for_each(simplify);
        }
        Value::Array(items) => items.iter_mut().for_each(simplify),
        _ => {}
    }
}

/// Reads an input, naming the field at fault and what the tool takes.
pub(super) fn parse<T: DeserializeOwned>(spec: &ToolSpec, input: &Map<String, Value>) -> Result<T, ToolError> {
    T::deserialize(Value::Object(input.clone())).map_err(|error| {
        let field = input
            .iter()
            .find(|(name, value)| error.to_string().contains("invalid type") && mismatched(spec, name, value));
        let at = field.map(|(name, value)| format!(" in \"{name}\" (got {value})")).unwrap_or_default();
        ToolError::new(format!("Invalid input for {}: {error}{at}. It takes {}.", spec.name, takes(spec)))
    })
}

/// Whether a value is plainly not of the type that the schema gives its field.
fn mismatched(spec: &ToolSpec, name: &str, value: &Value) -> bool {
    let expected = spec.schema.pointer(&format!("/properties/{name}/type")).and_then(Value::as_str);
    match expected {
        Some("string") => !value.is_string() && !value.is_null(),
        Some("integer" | "number") => !value.is_number() && !value.is_null(),
        Some("boolean") => !value.is_boolean() && !value.is_null(),
        Some("array") => !value.is_array() && !value.is_null(),
        _ => false,
    }
}

/// The input in one line: `path (string), limit? (integer)`.
fn takes(spec: &ToolSpec) -> String {
    let required = |name: &str| {
        spec.schema["required"].as_array().is_some_and(|names| names.iter().any(|required| required == name))
    };
    let fields = spec.schema["properties"].as_object().into_iter().flatten().map(|(name, field)| {
        let mark = if required(name) { "" } else { "?" };
        format!("{name}{mark} ({})", field["type"].as_str().unwrap_or("any"))
    });
    fields.collect::<Vec<_>>().join(", ")
}
