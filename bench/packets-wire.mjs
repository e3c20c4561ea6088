// Publishing and fetching a packet, against curl with the same bytes. curl verifies nothing and makes nothing
// durable, so it runs a second time with sha256sum, which is what a careful script would do. skopeo, which verifies
// what it copies, is the peer for fetching; what it publishes it has the registry copy from where it was before.

import { spawnSync } from 'node:child_process'
import { createHash, randomFillSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { roundCount, runBench, text } from './lib/cli.mjs'
import { projectDir } from './lib/contestants.mjs'
import { waitedNs } from './lib/proc.mjs'
import { Samples } from './lib/report.mjs'
import { interleave } from './lib/rounds.mjs'
import { Stop } from './lib/stop.mjs'

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const PARTS = /** @type {const} */ ({ 'faiss/index.faiss': 0.5, 'vectors.f16.bin': 0.25, 'docs.jsonl': 0.25 })

/**
 * A packet of so many megabytes that cannot be packed any smaller.
 *
 * @param {string} folder
 * @param {number} megabytes
 */
function makePacket(folder, megabytes) {
  mkdirSync(join(folder, 'faiss'), { recursive: true })
  for (const [path, share] of Object.entries(PARTS))
    writeFileSync(join(folder, path), randomFillSync(Buffer.allocUnsafe(Math.round(megabytes * 1e6 * share))))
  const embedding = { model: 'bench', dim: 384, dtype: 'float16' }
  writeFileSync(
    join(folder, 'manifest.json'),
    JSON.stringify({ embedding, cpm: { name: 'big', version: '1.0.0' } }),
  )
  writeFileSync(join(folder, 'cpm.yml'), 'name: big\nversion: 1.0.0\n')
}

/**
 * Runs a program to its end; anything but success ends the bench.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, input?: string }} [options]
 */
function run(program, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { ...options, encoding: 'utf8' })
  if (status !== 0) throw new Stop(`${program} ${args[0]} failed: ${error?.message ?? stderr}`)
  return stdout
}

/** @param {() => void} work */
function measure(work) {
  const [cpu, began] = [waitedNs(), performance.now()]
  work()
  return { wall: performance.now() - began, cpu: (waitedNs() - cpu) / 1e6 }
}

const COLUMNS = [
  { key: 'wall', label: 'wall, ms', digits: 0, best: /** @type {const} */ ('min') },
  { key: 'cpu', label: 'CPU of the client, ms', digits: 0, best: /** @type {const} */ ('min') },
]

/** @param {string} host @param {string} skopeo @param {string} home */
function worldOf(host, skopeo, home) {
  const folder = join(home, 'big/1.0.0')
  let count = 0
  /** @param {string[]} args @param {string} repository */
  const warrant = (args, repository) =>
    run(process.execPath, [join(projectDir, 'dist/bin/warrant.js'), 'packet', ...args, '--json'], {
      // Without what the caller's environment would add to every start.
      env: { PATH: process.env.PATH, REGISTRY: `${host}/${repository}`, CPM_ROOT: join(home, 'cpm') },
    })
  const copyTo = (/** @type {string} */ out) =>
    void run(skopeo, [
      'copy',
      '-q',
      '--src-tls-verify=false',
      `docker://${host}/bench/big:1.0.0`,
      `dir:${out}`,
    ])
  const fresh = () => `bench-${process.pid}-${count++}`
  return { folder, warrant, copyTo, fresh, home, host }
}

/** @typedef {ReturnType<typeof worldOf>} World */

/** @param {World} world @returns {Promise<string[]>} the digests of a published packet */
async function publishOnce({ warrant, folder, host }) {
  warrant(['publish', folder], 'bench')
  const answer = await fetch(`http://${host}/v2/bench/big/manifests/latest`, {
    headers: { accept: MANIFEST },
  })
  const { layers } = /** @type {{ layers: { digest: string }[] }} */ (await answer.json())
  return layers.map(({ digest }) => digest)
}

/** @param {World} world @param {string[]} digests */
function pullContestants({ warrant, copyTo, home, host }, digests) {
  const out = join(home, 'out')
  const file = (/** @type {string} */ digest) => join(out, digest.slice(7))
  const clean = () => {
    for (const path of [out, join(home, 'cpm')]) rmSync(path, { recursive: true, force: true })
    mkdirSync(out)
  }
  const lines = digests.flatMap((digest) => [
    `url = "http://${host}/v2/bench/big/blobs/${digest}"`,
    `output = "${file(digest)}"`,
  ])
  const curl = () => void run('curl', ['-sSf', '-K', '-'], { input: lines.join('\n') })
  return [
    { name: 'curl', clean, work: curl },
    {
      name: 'curl, sha256sum',
      clean,
      work: () => {
        curl()
        const sums = run('sha256sum', digests.map(file))
        for (const digest of digests)
          if (!sums.includes(digest.slice(7))) throw new Stop('curl fetched other bytes')
      },
    },
    { name: 'skopeo', clean, work: () => copyTo(out) },
    { name: 'warrant', clean, work: () => void warrant(['pull', 'big:1.0.0'], 'bench') },
  ]
}

/** @param {World} world */
function publishContestants({ warrant, folder, fresh, host }) {
  const files = Object.keys(PARTS).map((path) => join(folder, path))
  const digests = files.map((path) => createHash('sha256').update(readFileSync(path)).digest('hex'))
  const send = () => {
    const at = `http://${host}/v2/${fresh()}/big/blobs/uploads/`
    for (const [i, path] of files.entries()) {
      const head = run('curl', ['-sSf', '-i', '-X', 'POST', at])
      const place = /^location: (\S+)/im.exec(head)?.[1]
      run('curl', [
        '-sSf',
        '-T',
        path,
        '-H',
        'Content-Type: application/octet-stream',
        `${place}&digest=sha256:${digests[i]}`,
      ])
    }
  }
  const clean = () => {}
  return [
    { name: 'curl', clean, work: send },
    {
      name: 'curl, sha256sum',
      clean,
      work: () => {
        run('sha256sum', files)
        send()
      },
    },
    { name: 'warrant', clean, work: () => void warrant(['publish', folder], fresh()) },
  ]
}

await runBench(['rounds', 'megabytes'], async (options) => {
  const { WARRANT_TEST_REGISTRY: host, WARRANT_TEST_SKOPEO: skopeo } = process.env
  if (!host || !skopeo)
    throw new Stop(
      'run it as: node scripts/services.mjs run --only registry,skopeo -- npm run --prefix bench packets-wire',
    )
  const rounds = roundCount(options, 7)
  const megabytes = Number(text(options, 'megabytes') ?? (options.quick ? 10 : 200))
  if (!(megabytes > 0)) throw new Stop('--megabytes takes a number')
  const home = mkdtempSync(join(tmpdir(), 'warrant-bench-'))
  try {
    const world = worldOf(host, skopeo, home)
    makePacket(world.folder, megabytes)
    const digests = await publishOnce(world)
    const tables = []
    for (const [verb, contestants] of /** @type {const} */ ([
      ['fetched', pullContestants(world, digests)],
      ['published', publishContestants(world)],
    ])) {
      const samples = new Samples(`${megabytes} MB ${verb}`, COLUMNS)
      await interleave(
        contestants,
        rounds,
        async ({ clean, work }) => {
          clean()
          return measure(work)
        },
        (contestant, figures) => samples.add(contestant.name, figures),
      )
      tables.push(
        samples.table(
          contestants.map(({ name }) => name),
          ['curl', 'curl, sha256sum', 'skopeo'],
        ),
      )
    }
    return { bench: 'Packets: the wire', rounds, tables }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
})
