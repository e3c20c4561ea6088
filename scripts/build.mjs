#!/usr/bin/env node
// Bundles every binary with its chunks into dist/. Bundled files start in half the time of loose modules.
import { execFileSync } from 'node:child_process'
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
  // Drivers with files of their own; they are installed beside us.
  external: [/^node:/, /^@photostructure\/sqlite/, /^pg$/, /^@ast-grep\//],
  // What it offers to Node is CommonJS, which asks for `require` when it is loaded; this is the same as modules.
  resolve: { alias: { yaml: at('node_modules/yaml/browser/index.js') } },
  transform: { target: 'node20.19' },
  preserveEntrySignatures: 'allow-extension',
})

/** Everything that is loaded before these can run. */
const reachOf = (
  /** @type {readonly string[]} */ starts,
  /** @type {(id: string) => readonly string[]} */ importsOf,
) => {
  const seen = new Set(starts.map((path) => at(path)))
  for (const id of seen) for (const next of importsOf(id)) seen.add(next)
  return seen
}

/** Names the chunk of a module after what loads it; null leaves it to the bundler. */
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
    // What runs when it is loaded must stay by itself: whoever shares a file with it would run it too.
    if (context.getModuleInfo(id)?.isEntry) return null
    if (reaches.get('start')?.has(id) || ALWAYS_LOADED.includes(named(id))) return 'start'
    const users = [...reaches].flatMap(([name, reach]) => (reach.has(id) ? [name] : [])).join('-')
    return users === '' ? null : (MERGED.get(users) ?? users)
  }
}

/** @returns {import('rolldown').OutputOptions} */
const output = (/** @type {string} */ dir) => ({
  dir: at(dir),
  // Node finds, reads and links such files in half the time it takes for modules, and without going through promises.
  format: 'cjs',
  minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
  comments: false,
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [{ name: chunkNamer(), debugName: 'beginnings' }],
  },
})

/** What is in which file, for the tests that watch over the start. */
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

/** The licence of every package whose code is in the bundle travels with it. */
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
  await writeFile(at('dist.new/THIRD_PARTY.txt'), notices.join(`\n${'-'.repeat(80)}\n\n`))
}

// The new build takes the place of the old at once, so that a server that starts meanwhile finds a whole one.
const replaceDist = async () => {
  await rm(at('dist.old'), { recursive: true, force: true })
  await rename(at('dist'), at('dist.old')).catch(() => {})
  await rename(at('dist.new'), at('dist'))
  await rm(at('dist.old'), { recursive: true, force: true })
}

const entries = [...bins.filter((path) => !STANDALONE.includes(path)), ...THREADS]
const isCached = (/** @type {string} */ file) =>
  WITH_BYTECODE.includes(/^chunks\/([\w-]+)-[\w-]{8}\.js$/.exec(file)?.[1] ?? '')

// A file carried into somebody's project is a script or a module as that project has it; this works in both,
// and in scripts with every Node.js.
const asEither = {
  name: 'either',
  renderChunk: (/** @type {string} */ code) =>
    code.replaceAll(/\brequire\((?="node:)/g, '(process.getBuiltinModule ?? require)('),
}

const buildAlone = async (/** @type {string} */ path) => {
  const bundle = await rolldown({ ...inputOf([path]), plugins: [asEither] })
  await bundle.write({
    dir: at('dist.new'),
    format: 'cjs',
    entryFileNames: '[name].js',
    codeSplitting: false,
  })
}

if (process.argv.includes('--watch')) {
  watch({ ...inputOf(entries), output: output('dist') })
} else {
  await rm(at('dist.new'), { recursive: true, force: true })
  const bundle = await rolldown(inputOf(entries))
  const written = await bundle.write(output('dist.new'))
  const meta = describeOutput(written.output.filter((one) => one.type === 'chunk'))
  for (const path of STANDALONE) await buildAlone(path)
  // Rules are read and checked once, here: at run time they are one JSON file.
  execFileSync(process.execPath, ['scripts/run.mjs', 'scripts/rules.ts', 'dist.new/rules.json'], {
    cwd: root,
    stdio: 'inherit',
  })
  await writeNotices(meta.inputs)
  await writeFile(at('dist.new/meta.json'), JSON.stringify(meta))
  await writeFile(at('dist.new/package.json'), JSON.stringify({ type: 'commonjs' }))
  const cached = written.output.map(({ fileName }) => fileName).filter(isCached)
  await makeCodeCache(at('dist.new'), cached)
  await Promise.all(bins.map((path) => chmod(at('dist.new', `${entryName(path)}.js`), 0o755)))
  await replaceDist()
}
