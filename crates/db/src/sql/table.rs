//! The description of a table, from which statements for both databases are made.

/// The parts of its statements.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) columns: &'static [Column],
    pub(crate) primary_key: &'static [&'static str],
    /// Names of columns, each list one index.
    pub(crate) indexes: &'static [&'static [&'static str]],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ColumnType {
    Int,
    Text,
}

#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) kind: ColumnType,
}

impl Table {
    pub(crate) fn column_list(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|it| it.name).collect();
        names.join(", ")
    }

    /// The statements that make the table.
    pub(crate) fn ddl(&self, (int, text): (&str, &str)) -> String {
        let mut ddl = format!("create table {} (\n", self.name);
        for column in self.columns {
            let kind = match column.kind {
                ColumnType::Int => int,
                ColumnType::Text => text,
            };
            ddl.push_str(&format!("  {} {kind} not null,\n", column.name));
        }
        ddl.push_str(&format!("  primary key ({})\n);\n", self.primary_key.join(", ")));
        for columns in self.indexes {
            ddl.push_str(&format!(
                "create index {}_{} on {} ({});\n",
                self.name,
                columns.join("_"),
                self.name,
                columns.join(", ")
            ));
        }
        ddl
    }
}
