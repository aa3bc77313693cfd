//! A row of the table of models.

use super::effort::Scope;
use super::session::Session;
use crate::Error;
use crate::record::Record;
use crate::show::Section;
use clap::{ArgMatches, Command, FromArgMatches};
use serde::de::DeserializeOwned;

/// A kind of benchmark.
#[derive(Debug)]
pub struct Model {
    /// Its name on the command line, in definitions and in records.
    pub name: &'static str,
    /// Describes what it measures, as one line of help.
    pub about: &'static str,
    /// Examples, shown below its help.
    pub examples: &'static str,
    /// The built-in definition, as TOML.
    pub definition: &'static str,
    /// Adds the model's own arguments to a command.
    pub arguments: fn(Command) -> Command,
    /// Runs the requested measurements.
    pub run: fn(&ArgMatches, &mut Session) -> Result<Record, Error>,
    /// The main findings of a record, in three sentences or fewer.
    pub findings: fn(&Record) -> Vec<String>,
    /// The sections of a record of this model.
    pub views: fn(&Record) -> Vec<Section>,
}

impl Model {
    /// Reads a definition: the scope's file if it has one, otherwise the built-in one.
    ///
    /// # Errors
    /// The file cannot be read or is not a definition of this model.
    pub fn read<D: DeserializeOwned>(&self, scope: &Scope) -> Result<D, Error> {
        let (text, name) = match &scope.definition {
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(|why| Error::file(path, "read", &why))?;
                (text, path.display().to_string())
            }
            None => (self.definition.to_owned(), format!("built-in {}.toml", self.name)),
        };
        let mut table: toml::Table = toml::from_str(&text).map_err(|why| Error(format!("{name}: {why}")))?;
        if table.remove("model").as_ref().and_then(toml::Value::as_str) != Some(self.name) {
            return Err(Error(format!("{name}: expected model = \"{}\"", self.name)));
        }
        table.try_into().map_err(|why| Error(format!("{name}: {why}")))
    }

    /// Returns the values of the arguments that [`Model::arguments`] added.
    ///
    /// # Errors
    /// The matches belong to another command.
    pub fn typed<A: FromArgMatches>(&self, matches: &ArgMatches) -> Result<A, Error> {
        A::from_arg_matches(matches).map_err(|why| Error(why.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    static ROW: Model = Model {
        name: "heights",
        about: "",
        examples: "",
        definition: "model = \"heights\"\nhill = 3\n",
        arguments: |command| command,
        run: |_, _| Err(Error(String::new())),
        findings: |_| Vec::new(),
        views: |_| Vec::new(),
    };

    #[test]
    fn definition_file_replaces_built_in_and_errors_name_it() {
        let read = |scope: &Scope| ROW.read::<BTreeMap<String, u8>>(scope);
        assert_eq!(read(&Scope::default()).unwrap()["hill"], 3);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("mine.toml");
        let scope = Scope { definition: Some(path.clone()), ..Scope::default() };
        for (text, expected) in [
            ("model = \"heights\"\nhill = \"high\"\n", "mine.toml"),
            ("model = \"depths\"\n", "expected model = \"heights\""),
            ("hill = 3\n", "expected model = \"heights\""),
            ("hill = \n", "mine.toml"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = read(&scope).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        std::fs::write(&path, "model = \"heights\"\nhill = 7\n").unwrap();
        assert_eq!(read(&scope).unwrap()["hill"], 7);
    }
}
