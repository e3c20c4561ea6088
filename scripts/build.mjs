#!/usr/bin/env node
// Bundles every binary with its chunks into dist/. Bundled files start in half the time of loose modules.
import { execFileSync } from 'node:child_process'
import { chmod, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, context } from 'esbuild'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const at = (/** @type {string[]} */ ...parts) => join(root, ...parts)
const bins = (await readdir(at('src/bin'))).filter((name) => name.endsWith('.ts'))
/** One file each, with nothing beside it: meant to be carried elsewhere and read. */
const ALONE = ['lineage-verify.ts']

const THREADS = ['project-thread', 'workflow-thread']

/** @param {readonly string[]} names */
const entries = (names) => names.map((name) => ({ in: at('src/bin', name), out: `bin/${name.slice(0, -3)}` }))

/** @type {import('esbuild').BuildOptions} */
const options = {
  absWorkingDir: root,
  entryPoints: [
    ...entries(bins.filter((name) => !ALONE.includes(name))),
    // Threads start from a file of their own.
    ...THREADS.map((name) => ({ in: at('src/app', `${name}.ts`), out: `threads/${name}` })),
  ],
  outdir: at('dist'),
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  chunkNames: 'chunks/[name]-[hash]',
  // Its build for Node asks for modules in a way a bundle cannot answer; the other is the same code as modules.
  alias: { yaml: at('node_modules/yaml/browser/index.js') },
  // Drivers with files of their own; they are installed beside us.
  external: ['@photostructure/sqlite', 'pg', '@ast-grep/*'],
  legalComments: 'none',
  logLevel: 'warning',
}

/** The licence of every package whose code is in the bundle travels with it. */
const writeNotices = async (/** @type {import('esbuild').Metafile} */ metafile) => {
  const packages = new Set()
  for (const input of Object.keys(metafile.inputs)) {
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

if (process.argv.includes('--watch')) {
  await (await context({ ...options, logLevel: 'info' })).watch()
} else {
  await rm(at('dist.new'), { recursive: true, force: true })
  const { metafile } = await build({ ...options, outdir: at('dist.new'), metafile: true })
  await build({
    ...options,
    entryPoints: entries(ALONE),
    outdir: at('dist.new'),
    splitting: false,
    minifySyntax: false,
    minifyWhitespace: false,
  })
  // Rules are read and checked once, here: at run time they are one JSON file.
  execFileSync(process.execPath, ['scripts/run.mjs', 'scripts/rules.ts', 'dist.new/rules.json'], {
    cwd: root,
    stdio: 'inherit',
  })
  await writeNotices(metafile)
  await writeFile(at('dist.new/meta.json'), JSON.stringify(metafile).replaceAll('dist.new/', 'dist/'))
  await Promise.all(bins.map((name) => chmod(at('dist.new/bin', `${name.slice(0, -3)}.js`), 0o755)))
  await replaceDist()
}
