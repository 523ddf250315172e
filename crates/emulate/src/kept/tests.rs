//! Folders that may be used, and those that may not.

use super::*;

fn who(target: &str) -> Who {
    Who::new(target, 1, Bytes::mib(1), "digest")
}

#[test]
fn a_folder_is_one_process_s_and_one_drive_s() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("drive");
    let kept = Kept::open(&folder).unwrap();
    kept.is_for(&who("model:a")).unwrap();
    kept.is_for(&who("model:a")).unwrap();
    assert!(matches!(
        kept.is_for(&who("model:b")),
        Err(KeptError::AnotherDrive { .. })
    ));
    assert!(matches!(Kept::open(&folder), Err(KeptError::Served { .. })));
    drop(kept);
    assert!(matches!(
        power_cut(&folder),
        Err(KeptError::NotServed { .. })
    ));
    let again = Kept::open(&folder).unwrap();
    assert_eq!(again.who().unwrap(), Some(who("model:a")));
}

#[test]
fn a_name_that_leads_to_another_file_and_another_program_s_folder_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let kept = Kept::open(place.path()).unwrap();
    kept.is_for(&who("model:./mine.toml")).unwrap();
    let edited = Who {
        digest: "another".to_owned(),
        ..who("model:./mine.toml")
    };
    let refused = kept.is_for(&edited);
    assert!(matches!(refused, Err(KeptError::AnotherContent { .. })));
    let newer = Who {
        program: "99.0.0".to_owned(),
        ..who("model:./mine.toml")
    };
    let refused = kept.is_for(&newer);
    assert!(matches!(refused, Err(KeptError::AnotherProgram { .. })));
}

#[test]
fn a_folder_with_other_files_is_left_alone() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("letter"), "dear").unwrap();
    assert!(matches!(
        Kept::open(place.path()),
        Err(KeptError::NotOurs { .. })
    ));
}

#[test]
fn what_must_be_there_is_not_made_again_and_what_is_shorter_is_told() {
    for (name, cut) in [
        ("data", Some(1_000)),
        ("log", Some(32)),
        ("data", None),
        ("undo", None),
        ("log", None),
        ("drive.json", None),
    ] {
        let place = tempfile::tempdir().unwrap();
        let kept = Kept::open(place.path()).unwrap();
        kept.is_for(&who("model:a")).unwrap();
        std::fs::write(place.path().join("log"), [0; 320]).unwrap();
        kept.ended().unwrap();
        kept.is_for(&who("model:a")).unwrap();
        let path = place.path().join(name);
        match cut {
            Some(length) => File::options()
                .write(true)
                .open(&path)
                .unwrap()
                .set_len(length)
                .unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
        let refused = kept.is_for(&who("model:a")).unwrap_err().to_string();
        assert!(
            refused.contains(name) && refused.contains("damaged"),
            "{name}: {refused}"
        );
    }
}

#[test]
fn what_is_kept_is_its_owner_s() {
    use std::os::unix::fs::PermissionsExt;
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("drive");
    let kept = Kept::open(&folder).unwrap();
    kept.is_for(&who("model:a")).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for name in ["data", "undo", "log", "drive.json"] {
        assert_eq!(mode(&folder.join(name)), 0o600, "{name}");
    }
}
