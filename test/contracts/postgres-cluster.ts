import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch, startGuard } from '../../scripts/services/launch.mjs'
import { postgres } from '../../scripts/services/postgres.mjs'
import { eventually } from '../support/binary.ts'
import { isRunning } from '../support/process.ts'

/** A PostgreSQL server for one test, to be stopped, suspended and restarted. */
export class PostgresCluster {
  readonly address: string
  readonly #folder: string
  readonly #session: Parameters<typeof launch>[0]
  readonly #endGuard: () => Promise<void>

  private constructor(session: Parameters<typeof launch>[0], address: string, endGuard: () => Promise<void>) {
    this.#session = session
    this.#folder = session.folder
    this.#endGuard = endGuard
    this.address = address
  }

  static async start(): Promise<PostgresCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'warrant-cluster-'))
    // The server runs as another user and needs access to the folder.
    await chmod(folder, 0o711)
    const session = { folder, signal: new AbortController().signal, stops: [] }
    const endGuard = startGuard(folder)
    const { WARRANT_TEST_POSTGRES: address = '' } = await postgres.start(session)
    return new PostgresCluster(session, address, endGuard)
  }

  /** `SIGINT` is a fast shutdown, `SIGQUIT` and `SIGKILL` act like a crash. */
  async stop(signal: NodeJS.Signals): Promise<void> {
    const all = [this.#pid, ...this.#processes]
    process.kill(this.#pid, signal)
    await eventually('the end of the server', () => !all.some(isRunning))
  }

  async restart(): Promise<void> {
    const binary = postgres.binary() ?? 'postgres'
    const home = join(this.#folder, 'postgres')
    const data = join(home, 'data')
    const { uid, gid } = statSync(data)
    const { port } = new URL(this.address)
    await launch(this.#session, {
      name: 'postgres',
      command: () => [
        binary,
        ...['-D', data, '-p', port],
        ...['-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${home}`],
      ],
      ready: async () => {
        const status = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')
        return status.split('\n')[7]?.trim() === 'ready'
      },
      stopSignal: 'SIGQUIT',
      cwd: home,
      ...(process.getuid?.() === 0 && { uid, gid }),
    })
  }

  /** Suspends all processes of the server: its sockets stay open and nothing answers. */
  freeze(): void {
    process.kill(this.#pid, 'SIGSTOP')
    for (const pid of this.#processes) process.kill(pid, 'SIGSTOP')
  }

  thaw(): void {
    for (const pid of this.#processes) process.kill(pid, 'SIGCONT')
    process.kill(this.#pid, 'SIGCONT')
  }

  async remove(): Promise<void> {
    for (const stop of this.#session.stops) await stop()
    await rm(this.#folder, { recursive: true, force: true })
    await this.#endGuard()
  }

  get #pid(): number {
    return Number(readFileSync(join(this.#folder, 'postgres.pid'), 'utf8'))
  }

  get #processes(): number[] {
    const parent = this.#pid
    return execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
      .flatMap(([pid, ppid]) => (pid !== undefined && ppid === parent ? [pid] : []))
  }
}
