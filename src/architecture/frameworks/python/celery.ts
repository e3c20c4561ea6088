import type { DetectionContext, FindIn, Framework, Inbound, Outbound } from '../../connections/framework.ts'
import { inboundAt } from '../../connections/framework.ts'
import type { Annotation, Expression, Method } from '../../source/source-unit.ts'
import { keyword } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { pythonStore, pythonStoreTarget } from './data-clients.ts'
import { positional, pythonCalls, pythonText, qualifiedName } from './python-calls.ts'

/** Celery: tasks, calls of tasks, schedules and the broker of an application. */

const PROTOCOL = 'Messaging-Celery'

/** `@shared_task`, `@app.task(name="…")`, `@celery_app.task`. */
const taskMark = ({ annotations }: Method): Annotation | undefined =>
  annotations.find(({ name }) =>
    /^(shared_task|\w+\.shared_task)$|^(\w+\.)*\w*(app|celery|Celery|worker)\w*\.task$/.test(name),
  )

/** The name of a task: the given one, or that of its function. */
const taskName = (method: Method, scope: TypeScope, { resolver }: DetectionContext): string => {
  const given = taskMark(method)?.args.get('name')
  const known = given === undefined ? undefined : resolver.text(given, scope)
  return known === undefined || /[{$]/.test(known.text) ? method.name : known.text
}

const tasks = (scope: TypeScope, context: DetectionContext): readonly Inbound[] =>
  scope.unit.functions.flatMap((method) => {
    if (taskMark(method) === undefined) return []
    const known = { text: taskName(method, scope, context), confidence: 'high' } as const
    return [inboundAt(scope, method.line, known, { protocol: PROTOCOL, handler: method.name })]
  })

const SCHEDULES = /^(CELERY_)?BEAT_SCHEDULE$|^CELERYBEAT_SCHEDULE$|(^|\.)conf\.beat_schedule$|^beat_schedule$/

/** Entries of `beat_schedule`: the name of the task with its schedule. */
const schedules = (scope: TypeScope, context: DetectionContext): readonly Inbound[] =>
  scope.unit.topLevel.locals.flatMap(({ name, value, line }) => {
    if (!SCHEDULES.test(name) || value?.kind !== 'record') return []
    return [...value.entries.values()].flatMap((entry) => {
      if (entry.kind !== 'record') return []
      const task = pythonText(entry.entries.get('task'), scope, context)
      if (task === undefined || /^[{$]/.test(task.text)) return []
      const text = scheduleText(entry.entries.get('schedule'), scope, context)
      const { confidence } = task
      return [inboundAt(scope, line, { text, confidence }, { protocol: 'Scheduled', handler: task.text })]
    })
  })

const CRON = ['minute', 'hour', 'day_of_month', 'month_of_year', 'day_of_week']

/** `crontab(minute=0, hour=3)` is `cron 0 3 * * *`; a number is a time in seconds. */
const scheduleText: FindIn<Expression | undefined, string> = (schedule, scope, context) => {
  if (schedule?.kind === 'call' && schedule.call.name === 'crontab') {
    const { args } = schedule.call
    const fields = CRON.map((field, at) => {
      const given = keyword(args, field) ?? positional(args, at)
      return given === undefined ? '*' : (pythonText(given, scope, context)?.text ?? '*')
    })
    return `cron ${fields.join(' ')}`
  }
  const known = schedule === undefined ? undefined : pythonText(schedule, scope, context)
  return known !== undefined && /^[\d.]+$/.test(known.text) ? `every ${known.text} s` : 'beat schedule'
}

/** The task that `name.delay()` starts: a function of the project that is marked as a task. */
const startedTask: FindIn<Expression | undefined, string | undefined> = (receiver, scope, context) => {
  if (receiver?.kind === 'call' && /^(s|si|signature)$/.test(receiver.call.name))
    return startedTask(receiver.call.receiver, scope, context)
  if (receiver?.kind !== 'name') return undefined
  const [head = '', ...members] = receiver.name.split('.')
  const declared = context.modules.declaration(head, scope.unit)
  const wanted = declared.name === '*' ? members.at(-1) : members.length === 0 ? declared.name : undefined
  const method = declared.unit.functions.find(({ name }) => name === wanted)
  return method === undefined || taskMark(method) === undefined
    ? undefined
    : taskName(method, scope.at(declared.unit, undefined, declared.unit.topLevel), context)
}

const calls = (scope: TypeScope, context: DetectionContext): readonly Outbound[] =>
  pythonCalls(scope).flatMap(({ call, scope: inside }): readonly Outbound[] => {
    const place = { source_file: scope.unit.file, line: call.line, caller: inside.type?.name ?? '' }
    if (call.name === 'Celery' && /^celery(\.\w+)*\.Celery$/.test(qualifiedName(call, inside) ?? '')) {
      const given = keyword(call.args, 'broker')
      const address = given === undefined ? undefined : pythonText(given, inside, context)
      const kind = pythonStore(address?.text ?? '')
      return kind === undefined ? [] : [{ ...pythonStoreTarget(kind, address), type: 'Broker', ...place }]
    }
    const sent = { protocol: PROTOCOL, type: 'Celery', ...place }
    if (call.name === 'send_task') {
      const known = pythonText(keyword(call.args, 'name') ?? positional(call.args, 0), inside, context)
      return known === undefined || /^[{$]/.test(known.text)
        ? []
        : [{ target_service: known.text, confidence: known.confidence, ...sent }]
    }
    if (!/^(delay|apply_async|delay_on_commit)$/.test(call.name)) return []
    const task = startedTask(call.receiver, inside, context)
    return task === undefined ? [] : [{ target_service: task, confidence: 'high', ...sent }]
  })

export const CELERY: Framework = {
  name: 'Celery',
  language: 'python',
  // A task is called in files that import nothing but the task.
  applies: () => true,
  inbound: (scope, context) => [...tasks(scope, context), ...schedules(scope, context)],
  outbound: calls,
}
