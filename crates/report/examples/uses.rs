//! Prints the rules of the verdicts by use: `cargo run -p report --example uses > docs/uses.md`.

#[allow(clippy::print_stdout, reason = "it prints a page")]
fn main() {
    print!("{}", report::uses::rules(report::Lang::En));
}
