#!/usr/bin/env node
// Bundles every binary with its chunks into dist/. Bundles start in half the time of separate modules.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown, watch } from 'rolldown'
import { ALWAYS_LOADED, INTERNAL, MERGED, STANDALONE, TASKS, THREADS, WITH_BYTECODE } from './chunks.mjs'
import { makeCodeCache } from './code-cache/make.mjs'

/** @typedef {import('rolldown').OutputChunk} OutputChunk */

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const at = (/** @type {string[]} */ ...parts) => join(root, ...parts)
const named = (/** @type {string} */ id) => relative(root, id).split(sep).join('/')
const bins = (await readdir(at('src/bin')))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `src/bin/${name}`)
/** Where a binary or a thread is built to, below dist/. */
const entryName = (/** @type {string} */ path) =>
  `${path.startsWith('src/bin/') ? 'bin' : 'threads'}/${basename(path, '.ts')}`
/** @param {readonly string[]} paths @returns {import('rolldown').InputOptions} */
const inputOf = (paths) => ({
  cwd: root,
  platform: 'node',
  input: Object.fromEntries(paths.map((path) => [entryName(path), at(path)])),
  // Packages with native code or files of their own: npm installs them.
  external: [/^node:/, /^@photostructure\/sqlite/, /^pg$/, /^@ast-grep\//],
  // The Node build of `yaml` is CommonJS, which calls `require` when it loads; its browser build has the same modules as ESM.
  resolve: { alias: { yaml: at('node_modules/yaml/browser/index.js') } },
  transform: { target: 'node20.19' },
  preserveEntrySignatures: 'allow-extension',
})

/** Every module that these modules import, directly or not. */
const reachOf = (
  /** @type {readonly string[]} */ starts,
  /** @type {(id: string) => readonly string[]} */ importsOf,
) => {
  const seen = new Set(starts.map((path) => at(path)))
  for (const id of seen) for (const next of importsOf(id)) seen.add(next)
  return seen
}

/** Names the chunk of a module after the tasks that load it; null leaves it to the bundler. */
const chunkNamer = () => {
  /** @type {Map<string, Set<string>> | undefined} */
  let reaches
  /** @param {string} id @param {{ getModuleInfo(id: string): { importedIds: readonly string[], isEntry: boolean } | null }} context */
  return (id, context) => {
    const importsOf = (/** @type {string} */ one) => context.getModuleInfo(one)?.importedIds ?? []
    reaches ??= new Map([
      [
        'start',
        reachOf(
          bins.filter((path) => !INTERNAL.includes(path)),
          importsOf,
        ),
      ],
      ...Object.entries(TASKS).map(
        ([name, paths]) => /** @type {const} */ ([name, reachOf(paths, importsOf)]),
      ),
    ])
    const [, library] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id) ?? []
    if (library !== undefined) return library.replace(/[@/]/g, '')
    // An entry module runs when its chunk is loaded: it must not share one.
    if (context.getModuleInfo(id)?.isEntry) return null
    if (reaches.get('start')?.has(id) || ALWAYS_LOADED.includes(named(id))) return 'start'
    const users = [...reaches].flatMap(([name, reach]) => (reach.has(id) ? [name] : [])).join('-')
    return users === '' ? null : (MERGED.get(users) ?? users)
  }
}

/**
 * Begins each binary. If dist/package.json cannot be read, Node.js takes the file for an ES module, in which `require`
 * does not exist: a message says so instead of a stack.
 */
const REQUIRE_GUARD = `if(typeof require>"u"){process.stderr.write("warrant: its file dist/package.json cannot be read. Check the disk, or install Warrant again.\\n");process.exit(70)}`

/** @returns {import('rolldown').OutputOptions} */
const output = (/** @type {string} */ dir) => ({
  dir: at(dir),
  // Node.js loads CommonJS in half the time of ES modules, and synchronously.
  format: 'cjs',
  minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
  comments: false,
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  intro: ({ fileName }) => (fileName.startsWith('bin/') ? REQUIRE_GUARD : ''),
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [{ name: chunkNamer(), debugName: 'tasks' }],
  },
})

/** The modules and imports of each output file, for the tests of the start. */
const describeOutput = (/** @type {readonly OutputChunk[]} */ chunks) => {
  const file = (/** @type {string} */ name) => `dist/${name}`
  const outputs = chunks.map(({ fileName, facadeModuleId, moduleIds, imports, dynamicImports }) => [
    file(fileName),
    {
      ...(facadeModuleId !== null && { entryPoint: named(facadeModuleId) }),
      inputs: moduleIds.map(named),
      imports: imports.map(file),
      dynamicImports: dynamicImports.map(file),
    },
  ])
  return {
    inputs: [...new Set(chunks.flatMap(({ moduleIds }) => moduleIds.map(named)))].sort(),
    outputs: Object.fromEntries(outputs),
  }
}

/** Writes the licences of all packages whose code is in the bundle, and the notice of the model. */
const writeNotices = async (/** @type {readonly string[]} */ inputs) => {
  const packages = new Set()
  for (const input of inputs) {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]
    if (name !== undefined) packages.add(name)
  }
  const notices = await Promise.all(
    [...packages].sort().map(async (name) => {
      const folder = at('node_modules', name)
      const { version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
      const file = (await readdir(folder)).find((one) => /^licen[cs]e/i.test(one))
      const text = file === undefined ? '' : await readFile(join(folder, file), 'utf8')
      return `${name} ${version} (${license})\n\n${text.trim()}\n`
    }),
  )
  const model = await readFile(at('dist.new/model/NOTICE.txt'), 'utf8').catch(() => undefined)
  if (model !== undefined) notices.push(`all-MiniLM-L6-v2 (Apache-2.0)\n\n${model}`)
  await writeFile(at('dist.new/THIRD_PARTY.txt'), notices.join(`\n${'-'.repeat(80)}\n\n`))
}

/** One digest over all files: receipts name it, so that one can tell which build gave a verdict. */
const writeBuildDigest = async () => {
  const names = (await readdir(at('dist.new'), { recursive: true, withFileTypes: true }))
    .filter((one) => one.isFile())
    .map((one) => relative(at('dist.new'), join(one.parentPath, one.name)).split(sep).join('/'))
    .sort()
  const digest = createHash('sha256')
  for (const name of names) {
    const content = createHash('sha256')
      .update(await readFile(at('dist.new', name)))
      .digest('hex')
    digest.update(`${content}  ${name}\n`)
  }
  await writeFile(at('dist.new/build.txt'), `sha256:${digest.digest('hex')}\n`)
}

// Replaces dist/ by renaming, so that a server that starts meanwhile finds a complete build.
const replaceDist = async () => {
  await rm(at('dist.old'), { recursive: true, force: true })
  await rename(at('dist'), at('dist.old')).catch(() => {})
  await rename(at('dist.new'), at('dist'))
  await rm(at('dist.old'), { recursive: true, force: true })
}

const entries = [...bins.filter((path) => !STANDALONE.includes(path)), ...THREADS]
const isCached = (/** @type {string} */ file) =>
  WITH_BYTECODE.includes(/^chunks\/([\w-]+)-[\w-]{8}\.js$/.exec(file)?.[1] ?? '')

// A standalone file may be copied into a CommonJS or an ESM project: `process.getBuiltinModule` works in both, and
// `require` is the fallback for older Node.js.
const builtinsInEitherFormat = {
  name: 'builtins-in-either-format',
  renderChunk: (/** @type {string} */ code) =>
    code.replaceAll(/\brequire\((?="node:)/g, '(process.getBuiltinModule ?? require)('),
}

const buildAlone = async (/** @type {string} */ path) => {
  const bundle = await rolldown({ ...inputOf([path]), plugins: [builtinsInEitherFormat] })
  await bundle.write({
    dir: at('dist.new'),
    format: 'cjs',
    entryFileNames: '[name].js',
    codeSplitting: false,
  })
}

const runScript = (/** @type {string[]} */ ...words) =>
  execFileSync(process.execPath, ['scripts/run.mjs', ...words], { cwd: root, stdio: 'inherit' })

if (process.argv.includes('--watch')) {
  watch({ ...inputOf(entries), output: output('dist') })
} else {
  await rm(at('dist.new'), { recursive: true, force: true })
  const bundle = await rolldown(inputOf(entries))
  const written = await bundle.write(output('dist.new'))
  const meta = describeOutput(written.output.filter((one) => one.type === 'chunk'))
  for (const path of STANDALONE) await buildAlone(path)
  // Rules are parsed and validated here: at run time they are JSON files.
  runScript('scripts/rules.ts', 'dist.new/rules.json')
  runScript('scripts/model.ts', 'dist.new/model')
  await writeNotices(meta.inputs)
  await writeFile(at('dist.new/meta.json'), JSON.stringify(meta))
  await writeFile(at('dist.new/package.json'), JSON.stringify({ type: 'commonjs' }))
  await writeBuildDigest()
  const cached = written.output.map(({ fileName }) => fileName).filter(isCached)
  await makeCodeCache(at('dist.new'), cached)
  await Promise.all(bins.map((path) => chmod(at('dist.new', `${entryName(path)}.js`), 0o755)))
  await replaceDist()
}
