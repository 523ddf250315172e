//! Parity in a drive's file.

use super::*;

#[test]
fn a_drive_of_sixteen_dies_may_have_parity_on_one_of_them() {
    let section = r#"
[ssd.parity]
dies_a_stripe = { value = 16, source = "estimated", why = "x" }
"#;
    let change = |text: &str| text.to_owned() + section;
    let file = read_changed(change, "", &ModelOptions::default()).unwrap();
    let sections = file.parts().unwrap().sections();
    let parity = sections.iter().find(|section| section.name == "parity");
    assert_eq!(parity.unwrap().rows[0].key, "dies_a_stripe");
}
