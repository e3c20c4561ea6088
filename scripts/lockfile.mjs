#!/usr/bin/env node
// Completes a lockfile: `npm ci` wants an entry for every platform's optional package, and `npm install`
// leaves out those the mirror it talks to does not carry. Their name says which platform they are for.
import { readFile, writeFile } from 'node:fs/promises'

const SYSTEMS = /(android|darwin|linux|win32|freebsd|openbsd|netbsd|sunos|aix|openharmony)/
const PROCESSORS = /-(arm64|x64|ia32|arm|ppc64|s390x|riscv64|loong64|mips64el|wasm32)(?=-|$)/

/** @param {string} name @param {string} version @param {{dev?: boolean, license?: string}} owner */
const platformEntry = (name, version, { dev, license }) => {
  const system = SYSTEMS.exec(name)?.[1]
  const processor = PROCESSORS.exec(name)?.[1]
  const libc = name.endsWith('-musl') ? 'musl' : name.endsWith('-gnu') ? 'glibc' : undefined
  return {
    version,
    ...(dev && { dev }),
    optional: true,
    ...(processor !== undefined && { cpu: [processor] }),
    ...(system !== undefined && { os: [system] }),
    ...(libc !== undefined && { libc: [libc] }),
    ...(license !== undefined && { license }),
  }
}

/** The optional packages a lockfile wants and does not list. @param {any} lock */
export const missingEntries = ({ packages }) =>
  Object.entries(packages).flatMap(([place, owner]) =>
    Object.entries(owner.optionalDependencies ?? {})
      .filter(
        ([name]) => !(`${place}/node_modules/${name}` in packages) && !(`node_modules/${name}` in packages),
      )
      .map(([name, version]) => ({ name, version, owner })),
  )

/** The packages without a checksum. @param {any} lock */
export const uncheckedEntries = ({ packages }) =>
  Object.entries(packages).flatMap(([place, { integrity, link, ...rest }]) =>
    place === '' || integrity !== undefined || link ? [] : [{ place, ...rest }],
  )

const complete = async (/** @type {string} */ file) => {
  const lock = JSON.parse(await readFile(file, 'utf8'))
  const missing = missingEntries(lock)
  for (const { name, version, owner } of missing) {
    lock.packages[`node_modules/${name}`] = platformEntry(name, version, owner)
  }
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
  await writeFile(file, `${JSON.stringify(lock, null, 2)}\n`)
  console.log(`${file}: ${missing.length} entries added`)
}

if (process.argv[1]?.endsWith('lockfile.mjs')) {
  const files = process.argv.slice(2)
  for (const file of files.length > 0 ? files : ['package-lock.json']) await complete(file)
}
