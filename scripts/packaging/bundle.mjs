#!/usr/bin/env node
// Builds an MCP bundle (.mcpb) of this package for one platform, and the manifest of the MCP registry for it:
//   node scripts/packaging/bundle.mjs [--platform linux-x64] [--out FOLDER] [--url ADDRESS]
// ADDRESS is the folder that the bundle will be downloaded from. Without it, server.json names no package.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createZip } from './zip.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const PREBUILDS = /** @type {Readonly<Record<string, string>>} */ ({
  'linux-x64': 'Linux-X64',
  'linux-arm64': 'Linux-ARM64',
  'darwin-x64': 'macOS-X64',
  'darwin-arm64': 'macOS-ARM64',
  'win32-x64': 'Windows-X64',
})

/** Sources of parsers, and native code for other platforms. */
const isNeeded = (/** @type {string} */ path, /** @type {string} */ platform) => {
  if (/^node_modules\/\.|\/@ast-grep\/lang-\w+\/(?:src|type\.d\.ts)/.test(path)) return false
  const [, folder] = /\/prebuilds\/([^/]+)\//.exec(path) ?? []
  return folder === undefined || folder === platform || folder === `prebuild-${PREBUILDS[platform]}`
}

const npm = (/** @type {string} */ cwd, /** @type {string[]} */ ...words) =>
  execFileSync('npm', words, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  })

/** Packs this package and installs the result for a platform. */
const install = (/** @type {string} */ folder, /** @type {string} */ platform) => {
  const [os, cpu] = platform.split('-')
  const packed = npm(root, 'pack', '--silent', '--pack-destination', folder).trim().split('\n').at(-1) ?? ''
  npm(
    folder,
    'install',
    '--silent',
    '--no-audit',
    '--no-fund',
    '--no-save',
    '--ignore-scripts',
    '--no-bin-links',
    '--prefix=.',
    `--os=${os}`,
    `--cpu=${cpu}`,
    ...(os === 'linux' ? ['--libc=glibc'] : []),
    `./${packed}`,
  )
}

/** The files below `node_modules` that the platform needs. */
const readModules = async (/** @type {string} */ folder, /** @type {string} */ platform) => {
  const found = await readdir(join(folder, 'node_modules'), { recursive: true, withFileTypes: true })
  const files = []
  for (const one of found) {
    if (!one.isFile()) continue
    const path = join(one.parentPath, one.name)
    const name = relative(folder, path).split(sep).join('/')
    if (!isNeeded(name, platform)) continue
    const mode = (await stat(path)).mode & 0o111 ? 0o755 : 0o644
    files.push({ name, bytes: await readFile(path), mode })
  }
  return files
}

const { values } = parseArgs({
  options: {
    platform: { type: 'string', default: `${process.platform}-${process.arch}` },
    out: { type: 'string', default: 'out' },
    url: { type: 'string' },
  },
})
const { platform, url } = values
if (PREBUILDS[platform] === undefined) {
  console.error(`There is no bundle for ${platform}. Choose one of ${Object.keys(PREBUILDS).join(', ')}.`)
  process.exit(2)
}
const out = resolve(values.out)
const folder = await mkdtemp(join(tmpdir(), 'warrant-bundle-'))
try {
  install(folder, platform)
  const manifest = JSON.parse(await readFile(join(root, 'packaging/mcpb/manifest.json'), 'utf8'))
  manifest.compatibility.platforms = [platform.split('-')[0]]
  const bytes = createZip([
    { name: 'manifest.json', bytes: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), mode: 0o644 },
    ...(await readModules(folder, platform)),
  ])
  const name = `warrant-${manifest.version}-${platform}.mcpb`
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const server = JSON.parse(await readFile(join(root, 'server.json'), 'utf8'))
  if (url !== undefined)
    server.packages = [
      {
        registryType: 'mcpb',
        identifier: `${url.replace(/\/+$/, '')}/${name}`,
        version: manifest.version,
        fileSha256: sha256,
        transport: { type: 'stdio' },
      },
    ]
  await mkdir(out, { recursive: true })
  await writeFile(join(out, name), bytes)
  await writeFile(join(out, 'server.json'), `${JSON.stringify(server, null, 2)}\n`)
  console.log(`${join(values.out, name)}: ${bytes.length} bytes, sha256 ${sha256}`)
} finally {
  await rm(folder, { recursive: true, force: true })
}
