//! Inputs of parsers that take a path: a file of this process in the temporary folder.

use std::cell::OnceCell;
use std::path::Path;

use tempfile::TempDir;

thread_local! {
    static FOLDER: OnceCell<TempDir> = const { OnceCell::new() };
}

/// Calls a function with the path of a file that holds the input.
pub(super) fn with_file<T>(name: &str, input: &[u8], with: impl FnOnce(&Path) -> T) -> T {
    FOLDER.with(|folder| {
        let folder =
            folder.get_or_init(|| tempfile::tempdir().expect("a temporary folder is to be had"));
        let path = folder.path().join(name);
        std::fs::write(&path, input).expect("the temporary folder takes a small file");
        with(&path)
    })
}
