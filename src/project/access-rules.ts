import type { DirectoryEntry, PathRules } from '../kernel/jail.ts'
import { escapeInvisible } from '../kernel/text/escape-text.ts'

const DOT = 0x2e
const ASCII = 0x7f
// A disk of macOS takes a name for the same with these in it.
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g

/** A name as file systems that are generous would compare it; empty for those that cannot begin with a dot. */
const spellDotName = (name: string): string => {
  const first = name.charCodeAt(0)
  return first === DOT || first > ASCII ? name.replace(UNSEEN, '').toLowerCase() : ''
}

/** `.git`, `.github`, `.gitignore`: metadata of repositories, however it is spelt. */
export const isGitName = (name: string): boolean => spellDotName(name).startsWith('.git')

/** What a Java architect's server reads: sources, build files, configuration and prose. */
const SENTINEL_ENDINGS = ['.java', '.xml', '.md', '.properties', '.yml', '.yaml']

export const SENTINEL_RULES: PathRules = {
  allowed: new Set(SENTINEL_ENDINGS),
  blocked: isGitName,
}

/** Endings, and names without one, of what people write by hand. What is not here is not read unless configured. */
const TEXT = `
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

/** The rules of the general tools: the operator's list of endings, or ours. */
export const textRules = (endings: readonly string[]): PathRules => ({
  allowed: new Set((endings.length > 0 ? endings : TEXT.split(/\s+/)).filter((one) => one !== '').map(lower)),
  blocked: (name) => spellDotName(name) === '.git',
})

const lower = (ending: string): string => ending.toLowerCase()

const FOLDERS = new Set(['target', '.git', '.idea', '.vscode', 'node_modules', 'dist', 'build', 'out'])
const FILES = /^\.|\.(class|jar|war|ear|log|tmp|swp)$|^thumbs\.db$/i

/** What is left out of a project's structure before anything is made of it. */
export const isClutter = ({ name, kind }: DirectoryEntry): boolean =>
  FILES.test(name) || (kind !== 'file' && FOLDERS.has(name.toLowerCase()))

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what we look for
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\ufffd\p{Cf}\p{Zl}\p{Zp}]/u

const PLAIN = /^[ -~]*$/

/** A name on a line of its own. One with a newline in it must not look like two. */
export const showName = (name: string): string => {
  if (PLAIN.test(name) || !UNPRINTABLE.test(name)) return name
  return escapeInvisible(JSON.stringify(name))
}

const LINES = /^[\n -~]*$/

/** A name a line, folders with a slash. */
export const showEntries = (entries: readonly DirectoryEntry[]): string => {
  const text = entries.map(({ name, kind }) => (kind === 'directory' ? `${name}/` : name)).join('\n')
  // Hardly ever does a name need more than its own characters, so all of them are looked at in one go.
  if (LINES.test(text) && !entries.some(({ name }) => name.includes('\n'))) return text
  return entries
    .map(({ name, kind }) => (kind === 'directory' ? `${showName(name)}/` : showName(name)))
    .join('\n')
}
