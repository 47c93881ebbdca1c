//! Instances near the boundary of a schema: what it names itself, and what lies beside that.

use arbitrary::{Result, Unstructured};
use serde_json::{Map, Value, json};

use crate::schemas::small;

/// How many instances a schema is tried on.
const COUNT: usize = 10;

/// Values that are, or come near to, what the schema speaks of.
pub fn instances(schema: &Value, input: &mut Unstructured<'_>) -> Result<Vec<Value>> {
    let mut pool = Vec::new();
    gather(schema, &mut pool);
    (0..COUNT).map(|_| instance(&pool, input, 3)).collect()
}

/// Takes what a schema names: values, numbers and their neighbours, texts of the lengths.
fn gather(value: &Value, pool: &mut Vec<Value>) {
    match value {
        Value::Number(number) => {
            pool.push(value.clone());
            let Some(whole) = number.as_i64() else {
                return;
            };
            for near in [whole - 1, whole + 1] {
                pool.push(json!(near));
            }
            if let Ok(length @ 0..=5) = usize::try_from(whole) {
                let texts = [length.saturating_sub(1), length, length + 1];
                pool.extend(
                    texts
                        .map(|length| json!("ab".chars().cycle().take(length).collect::<String>())),
                );
                pool.push(json!(vec![1; length]));
            }
        }
        Value::Array(items) => {
            pool.extend(items.iter().filter(|item| !item.is_string()).cloned());
            items.iter().for_each(|item| gather(item, pool));
        }
        Value::Object(members) => {
            for (key, value) in members {
                match key.as_str() {
                    "const" => pool.push(value.clone()),
                    "enum" => pool.extend(value.as_array().into_iter().flatten().cloned()),
                    _ => gather(value, pool),
                }
            }
        }
        _ => {}
    }
}

fn instance(pool: &[Value], input: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    let count = input.int_in_range(0..=3)?;
    Ok(
        match input.int_in_range(0..=if depth == 0 { 5 } else { 11 })? {
            0..=3 if !pool.is_empty() => input.choose(pool)?.clone(),
            0..=5 => small(input, depth.min(1))?,
            6 | 7 => {
                let items: Result<Vec<_>> = (0..count)
                    .map(|_| instance(pool, input, depth - 1))
                    .collect();
                Value::Array(items?)
            }
            _ => {
                let mut members = Map::new();
                for _ in 0..count {
                    let name = input.choose(&["a", "ab", "b", "é", "", "abab"])?;
                    members.insert((*name).to_owned(), instance(pool, input, depth - 1)?);
                }
                Value::Object(members)
            }
        },
    )
}
