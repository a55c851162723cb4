//! Hash maps with a fixed hasher: the same input gives the same order, so that replay repeats.
//!
//! The fixed hash is not secret. Maps whose keys an outsider chooses freely and in bulk are [`LookupMap`]s, whose seed
//! is unknown to clients; host names and keys of incoming values have a hasher of their own: see `directory`.

pub use hashbrown::hash_map::Entry;

/// A hash map with a fixed seed.
pub type Map<K, V> = hashbrown::HashMap<K, V, foldhash::fast::FixedState>;
/// A hash set with a fixed seed.
pub type Set<K> = hashbrown::HashSet<K, foldhash::fast::FixedState>;
/// A hash map with a random seed, for keys that come from outside: no client can construct keys that collide.
/// Its order differs between processes, so nothing may depend on it.
pub type LookupMap<K, V> = hashbrown::HashMap<K, V, foldhash::fast::RandomState>;

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::hash::{BuildHasher, Hash, Hasher};
    use std::process::Command;
    use std::rc::Rc;

    use super::*;

    /// Counts how often it is compared.
    #[derive(Clone)]
    struct Counted(String, Rc<Cell<usize>>);

    impl Hash for Counted {
        fn hash<H: Hasher>(&self, state: &mut H) {
            self.0.hash(state);
        }
    }

    impl PartialEq for Counted {
        fn eq(&self, other: &Self) -> bool {
            self.1.set(self.1.get() + 1);
            self.0 == other.0
        }
    }

    impl Eq for Counted {}

    const N: usize = 64;

    /// Names that fall into one place of a table of 128 with the fixed seed: equal in the low bits, which say where,
    /// and in the highest seven, which are compared before the names.
    fn colliding() -> Vec<String> {
        let fixed = foldhash::fast::FixedState::default();
        let place = |name: &String| {
            let hash = fixed.hash_one(name);
            (hash % 128, hash >> 57)
        };
        let names = (0_u32..).map(|it| format!("name{it}"));
        let wanted = place(&"name0".to_owned());
        names.filter(|it| place(it) == wanted).take(N).collect()
    }

    fn n_comparisons<S: BuildHasher + Default>(names: &[String]) -> usize {
        let count = Rc::<Cell<usize>>::default();
        let mut map: hashbrown::HashMap<Counted, (), S> = hashbrown::HashMap::default();
        for name in names {
            map.insert(Counted(name.clone(), Rc::clone(&count)), ());
        }
        count.get()
    }

    #[test]
    fn colliding_names_of_the_fixed_seed_do_not_with_a_random_one() {
        let names = colliding();
        let all_pairs = N * (N - 1) / 2;
        assert_eq!(n_comparisons::<foldhash::fast::FixedState>(&names), all_pairs, "they collide");
        let n = n_comparisons::<foldhash::fast::RandomState>(&names);
        assert!(n < all_pairs / 8, "{n} comparisons");
    }

    const SAY: &str = "MAP_TEST_SAYS_ITS_HASH";

    #[test]
    fn two_processes_have_seeds_of_their_own() {
        let hash = LookupMap::<&str, ()>::default().hasher().hash_one("name");
        if std::env::var_os(SAY).is_some() {
            println!("<{hash}>");
            return;
        }
        let own = format!("<{hash}>");
        let other = Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", "map::tests::two_processes_have_seeds_of_their_own", "--nocapture"])
            .env(SAY, "1")
            .output()
            .expect("it runs");
        let printed = String::from_utf8_lossy(&other.stdout);
        assert!(printed.contains('<') && !printed.contains(&own), "{own} {printed}");
    }
}
