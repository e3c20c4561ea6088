import type { Container } from './containers.ts'
import type { Deployable } from './service-draft.ts'

/** Containers that run the code of a service with another command: workers of a queue and schedulers. */

const WORKER =
  /\bcelery\b.*\bworker\b|\b(rq|taskiq|arq|faktory)\s+worker\b|\b(dramatiq|sidekiq|rqworker|qcluster|run_huey|huey_consumer)\b|\bqueue:(work|listen)\b|\b(node|npm|npx|yarn|pnpm|bun|python3?|uv|poetry|rake|php|java)\b.*\bworkers?\b|\bworker[\w-]*\.sh\b/i
const SCHEDULER =
  /\bcelery\b.*\bbeat\b|\bschedule:(work|run)\b|\b(rqscheduler|clockwork)\b|\bbeats?[\w-]*\.sh\b/i

const processKind = ({ values }: Container): 'worker' | 'scheduler' | undefined => {
  const command = values.join(' ').slice(0, 2_000)
  if (WORKER.test(command)) return 'worker'
  return SCHEDULER.test(command) ? 'scheduler' : undefined
}

/** Those beside a container that runs the code of the same folder for others to call. */
export const backgroundProcesses = (
  containers: readonly Container[],
): ReadonlyMap<Container, 'worker' | 'scheduler'> => {
  const coded = containers.filter(
    ({ codeFolder, technology, isJob }) => codeFolder !== undefined && technology === undefined && !isJob,
  )
  const kinds = new Map(coded.map((one) => [one, processKind(one)]))
  return new Map(
    coded.flatMap((one) => {
      const kind = kinds.get(one)
      const isBeside = coded.some(
        (other) =>
          other.codeFolder === one.codeFolder &&
          other.system === one.system &&
          kinds.get(other) === undefined,
      )
      return kind === undefined || !isBeside ? [] : [[one, kind] as const]
    }),
  )
}

/** The processes as services of their own. */
export const processServices = (
  processes: ReadonlyMap<Container, 'worker' | 'scheduler'>,
  taken: ReadonlySet<string>,
): readonly (readonly [Container, Deployable])[] =>
  [...processes].map(([one, kind]) => [
    one,
    {
      name: taken.has(one.name) ? `${one.name} (${kind})` : one.name,
      kind: 'service' as const,
      shownBy: one.shownBy,
      aliases: [...new Set([one.name, ...one.hosts])],
      libraries: [],
      process: { kind, folder: one.codeFolder ?? '' },
    },
  ])
