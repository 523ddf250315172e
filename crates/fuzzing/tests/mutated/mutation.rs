//! Inputs made of other inputs.
//!
//! A parser is seldom wrong about bytes drawn blindly, which its first check refuses; it is wrong about inputs
//! that are nearly right. So an input of the corpus is taken and a few things are done to it: bytes changed,
//! pieces taken out, doubled, or put in from another input; a number replaced by one at an edge of its type; a
//! word of the format put in. The same seed gives the same inputs.

use base::rng::Rng;

use fuzzing::LONGEST;

/// Numbers at the edges of types, of time, of sense.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "4611686018427387903",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999.999999999999",
    "340282366920938463463374607431768211456",
    "0.0000000001",
    "1e308",
    "1e-308",
    "-0",
    "nan",
    "inf",
    "0x7fffffffffffffff",
];

/// Bytes at the edges of types and of text.
const BYTES: &[u8] = b"\x00\x01\x7f\x80\xff\n\r\t \"'#%&(),-./:;=?[\\]{}";

/// Makes inputs out of a corpus and the words of a format.
#[derive(Debug)]
pub(crate) struct Mutator<'a> {
    rng: Rng,
    corpus: &'a [Vec<u8>],
    words: &'a [Vec<u8>],
}

impl<'a> Mutator<'a> {
    /// From a corpus, by a seed.
    pub(crate) fn new(corpus: &'a [Vec<u8>], words: &'a [Vec<u8>], seed: u64) -> Mutator<'a> {
        Mutator {
            rng: Rng::new(seed),
            corpus,
            words,
        }
    }

    /// The next input, of at most [`LONGEST`] bytes.
    pub(crate) fn next_input(&mut self) -> Vec<u8> {
        let mut input = self.one_of_the_corpus().to_vec();
        for _ in 0..=self.below(5) {
            self.change(&mut input);
            input.truncate(LONGEST);
        }
        input
    }

    fn below(&mut self, n: usize) -> usize {
        self.rng.below(n as u64) as usize
    }

    fn one_of_the_corpus(&mut self) -> &'a [u8] {
        let at = self.below(self.corpus.len());
        self.corpus.get(at).map_or(&[], Vec::as_slice)
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        match self.below(10) {
            0 => self.flip_a_bit(input),
            1 => self.set_a_byte(input),
            2 => drop(input.drain(self.piece(input))),
            3 => self.repeat_a_piece(input),
            4 => input.truncate(self.piece(input).start),
            5 => self.put_in_a_word(input),
            6 => self.splice(input),
            7 => self.swap_pieces(input),
            _ => self.replace_a_number(input),
        }
    }

    /// A position in the input, or its end.
    fn place(&mut self, input: &[u8]) -> usize {
        self.below(input.len() + 1)
    }

    /// A piece, most of them short.
    fn piece(&mut self, input: &[u8]) -> std::ops::Range<usize> {
        let start = self.place(input);
        let longest = 1 << self.below(12);
        let length = self.below(longest + 1).min(input.len() - start);
        start..start + length
    }

    fn flip_a_bit(&mut self, input: &mut [u8]) {
        let (at, bit) = (self.below(input.len()), self.below(8));
        if let Some(byte) = input.get_mut(at) {
            *byte ^= 1 << bit;
        }
    }

    fn set_a_byte(&mut self, input: &mut [u8]) {
        let (at, new) = (self.below(input.len()), self.below(BYTES.len()));
        if let Some(byte) = input.get_mut(at) {
            *byte = BYTES[new];
        }
    }

    fn repeat_a_piece(&mut self, input: &mut Vec<u8>) {
        let piece = self.piece(input);
        let times = 1 << self.below(8);
        let new = input[piece.clone()].repeat(times);
        self.put_in(input, piece.end, &new);
    }

    fn put_in_a_word(&mut self, input: &mut Vec<u8>) {
        let at = self.place(input);
        let word = match self.words {
            [] => NUMBERS[self.below(NUMBERS.len())].as_bytes(),
            words => &words[self.below(words.len())],
        };
        self.put_in(input, at, word);
    }

    fn put_in(&self, input: &mut Vec<u8>, at: usize, new: &[u8]) {
        let new = &new[..new.len().min(LONGEST)];
        input.splice(at..at, new.iter().copied());
    }

    fn splice(&mut self, input: &mut Vec<u8>) {
        let other = self.one_of_the_corpus();
        let piece = self.piece(other);
        let at = self.piece(input);
        input.splice(at, other[piece].iter().copied());
    }

    fn swap_pieces(&mut self, input: &mut Vec<u8>) {
        let (from, to) = (self.piece(input), self.place(input));
        let piece: Vec<u8> = input.drain(from).collect();
        let to = to.min(input.len());
        self.put_in(input, to, &piece);
    }

    /// Replaces consecutive digits from a position on.
    fn replace_a_number(&mut self, input: &mut Vec<u8>) {
        let from = self.place(input);
        let digit = |byte: &u8| byte.is_ascii_digit();
        let Some(start) = input[from..].iter().position(digit).map(|at| from + at) else {
            return;
        };
        let length = input[start..].iter().take_while(|byte| digit(byte)).count();
        let new = NUMBERS[self.below(NUMBERS.len())];
        input.splice(start..start + length, new.bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_inputs_and_they_stay_short() {
        let corpus = [b"a = 4096\n".to_vec(), vec![7; LONGEST], Vec::new()];
        let words = [b"word".to_vec()];
        let inputs = |seed| {
            let mut mutator = Mutator::new(&corpus, &words, seed);
            (0..300).map(|_| mutator.next_input()).collect::<Vec<_>>()
        };
        assert_eq!(inputs(1), inputs(1));
        assert_ne!(inputs(1), inputs(2));
        assert!(inputs(1).iter().all(|input| input.len() <= LONGEST));
        // Numbers and words are put in, too.
        let texts: Vec<_> = inputs(1)
            .iter()
            .map(|i| String::from_utf8_lossy(i).into_owned())
            .collect();
        assert!(texts.iter().any(|text| text.contains("word")));
        assert!(
            texts
                .iter()
                .any(|text| text.contains("18446744073709551615"))
        );
    }
}
