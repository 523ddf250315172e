//! Prints the rules of the verdicts by use: `cargo run -p report --example uses > docs/uses.md`.

fn main() {
    print!("{}", report::uses::rules(report::Lang::En));
}
