import type { DirectoryEntry, PathRules } from '../kernel/jail.ts'
import { showName } from '../kernel/text/escape-text.ts'

const DOT = 0x2e
const ASCII = 0x7f
// HFS+ ignores these characters when it compares names.
const IGNORABLE = /[\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g

/** A name folded as case-insensitive file systems compare it; empty when it cannot begin with a dot. */
const foldDotName = (name: string): string => {
  const first = name.charCodeAt(0)
  return first === DOT || first > ASCII ? name.replace(IGNORABLE, '').toLowerCase() : ''
}

/** `.git`, `.github`, `.gitignore` in any spelling that a file system takes for the same name. */
export const isGitName = (name: string): boolean => foldDotName(name).startsWith('.git')

/** Files that sentinel-mcp reads: Java sources, build files, configuration and Markdown. */
const SENTINEL_EXTENSIONS = ['.java', '.xml', '.md', '.properties', '.yml', '.yaml']

export const SENTINEL_RULES: PathRules = {
  allowed: new Set(SENTINEL_EXTENSIONS),
  blocked: isGitName,
  refusesDots: true,
}

/** Extensions of text files, and names without an extension. Other files are read only when configured. */
const TEXT_EXTENSIONS = `
.adoc .asm .astro .awk .bash .bat .bib .bzl .c .cc .cfg .cjs .clj .cljs .cmake .cmd .conf .cpp .cs .csproj .css
.csv .cts .cu .cxx .d .dart .diff .dockerfile .ex .exs .erl .f90 .feature .fish .fs .fsx .go .gradle .graphql .groovy
.h .hbs .hcl .hh .hpp .hrl .hs .html .hxx .ini .ipynb .java .jl .js .json .json5 .jsonc .jsonl .jsx .kt .kts .less
.lisp .log .lua .m .md .mdx .mjs .ml .mli .mm .mts .mustache .nim .nix .patch .php .pl .plist .pm .prisma .proto .ps1
.properties .pug .py .pyi .r .rb .rego .robot .rs .rst .sass .sbt .scala .scm .scss .sh .sln .sol .sql .storyboard
.styl .svelte .svg .swift .tcl .tex .tf .tfvars .tmpl .toml .tpl .ts .tsv .tsx .txt .v .vb .vue .wat .xib .xml .xsd
.xsl .yaml .yml .zig .zsh
.dockerignore .editorconfig .gitattributes .gitignore .gitkeep .gitmodules .helmignore .npmignore .nvmrc .prettierrc
brewfile build cargo.lock changelog cmakelists codeowners contributing copying dockerfile gemfile go.mod go.sum
gradlew jenkinsfile justfile license makefile mvnw notice podfile procfile rakefile readme vagrantfile workspace
.mod .sum .lock
`

/** Access rules of the project_* tools. An empty list stands for the built-in extensions. */
export const textRules = (extensions: readonly string[]): PathRules => ({
  allowed: new Set(
    (extensions.length > 0 ? extensions : TEXT_EXTENSIONS.split(/\s+/))
      .filter((one) => one !== '')
      .map((one) => one.toLowerCase()),
  ),
  blocked: (name) => foldDotName(name) === '.git',
})

const CLUTTER_FOLDERS = new Set([
  'target',
  '.git',
  '.idea',
  '.vscode',
  'node_modules',
  'dist',
  'build',
  'out',
])
const CLUTTER_FILES = /^\.|\.(class|jar|war|ear|log|tmp|swp)$|^thumbs\.db$/i

/** Build output, editor files and hidden files: not part of the structure of a project. */
export const isClutter = ({ name, kind }: DirectoryEntry): boolean =>
  CLUTTER_FILES.test(name) || (kind !== 'file' && CLUTTER_FOLDERS.has(name.toLowerCase()))

const PRINTABLE_LINES = /^[\n -~]*$/

/** One name a line; folders end with a slash. */
export const showEntries = (entries: readonly DirectoryEntry[]): string => {
  const text = entries.map(({ name, kind }) => (kind === 'directory' ? `${name}/` : name)).join('\n')
  // Names rarely need escaping: one test for all of them is faster than one test each.
  if (PRINTABLE_LINES.test(text) && !entries.some(({ name }) => name.includes('\n'))) return text
  return entries
    .map(({ name, kind }) => (kind === 'directory' ? `${showName(name)}/` : showName(name)))
    .join('\n')
}
