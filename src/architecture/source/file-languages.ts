/** Languages of source files by extension, to say what a report covers. Configuration files count as one. */
export const LANGUAGE_EXTENSIONS: Readonly<Record<string, string>> = {
  Java: 'java',
  Kotlin: 'kt',
  TypeScript: 'ts tsx mts cts',
  JavaScript: 'js jsx mjs cjs',
  Python: 'py',
  Go: 'go',
  Swift: 'swift',
  Protobuf: 'proto',
  Configuration: 'yml yaml properties xml',
  Scala: 'scala',
  Groovy: 'groovy',
  Clojure: 'clj cljs cljc',
  Rust: 'rs',
  'C#': 'cs',
  'F#': 'fs',
  'Visual Basic': 'vb',
  Ruby: 'rb',
  PHP: 'php',
  C: 'c h',
  'C++': 'cc cpp cxx hpp hh',
  'Objective-C': 'm mm',
  Dart: 'dart',
  Elixir: 'ex exs',
  Erlang: 'erl',
  Haskell: 'hs',
  OCaml: 'ml',
  Lua: 'lua',
  Perl: 'pl pm',
  R: 'r',
  Julia: 'jl',
  Zig: 'zig',
  Solidity: 'sol',
  Vue: 'vue',
  Svelte: 'svelte',
  Astro: 'astro',
  Shell: 'sh bash',
  SQL: 'sql',
  GraphQL: 'graphql graphqls gql',
  Terraform: 'tf',
  Prisma: 'prisma',
}

const BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  Object.entries(LANGUAGE_EXTENSIONS).flatMap(([language, endings]) =>
    endings.split(' ').map((ending) => [ending, language] as const),
  ),
)

/** The language of a file; undefined for files that are no source code. */
export const languageOfFile = (path: string): string | undefined =>
  BY_EXTENSION.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase())
