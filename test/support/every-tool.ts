import { cpSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Behaviour, FaultRegistry } from './fault-registry.ts'
import { BACKEND, gateJson } from './gate.ts'
import { buildTexts, publishToMemory } from './packet-setup.ts'
import { Repo } from './repository.ts'

/** A call of a tool of the union, and a text of the fixture that a model must find in the answer. */
export interface ToolExample {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly shows: string
}

const ORDERS = fileURLToPath(new URL('../fixtures/orders', import.meta.url))
const SECRET_WORD = 'tamarind'

/** A repository that gives every tool something to answer: sources, evidence of a gate run, a packet on a registry. */
export class EveryToolFixture {
  readonly repo = Repo.init()
  readonly #registry = new FaultRegistry()

  async start(): Promise<void> {
    cpSync(ORDERS, this.repo.folder, { recursive: true })
    this.repo.commit({
      'package.json': BACKEND,
      'notes.md': `# Notes\n\nThe word is ${SECRET_WORD}.\n`,
      'src/app.ts': `export class Kettle {\n  boil(): string {\n    return '${SECRET_WORD}'\n  }\n}\nexport const kettle = new Kettle()\n`,
    })
    this.repo.stage({ 'src/bad.ts': 'export const run = (text: string) => eval(text)\n' })
    gateJson(this.repo, ['--stage', 'PRE_COMMIT'])
    const packet = await publishToMemory(
      await buildTexts({ 'guide.md': `# Kettles\n\nDescale the kettle with ${SECRET_WORD}.\n` }),
    )
    await this.#registry.start()
    const serve: Behaviour = ({ path }, response) => {
      if (!path.endsWith('/tags/list')) return false
      return response.end(JSON.stringify({ tags: ['latest'] }))
    }
    this.#registry.play(packet, serve)
  }

  stop(): Promise<void> {
    return this.#registry.stop()
  }

  /** The flags of a server on this repository. */
  get flags(): readonly string[] {
    return ['--root', this.repo.folder, '--registry', this.#registry.address, '--export-root', '.']
  }

  /** One call for each tool, in an order in which all of them succeed. */
  get examples(): readonly ToolExample[] {
    const example = (name: string, args: ToolExample['args'], shows: string) => ({ name, args, shows })
    return [
      example('warrant_status', {}, '"readOnly"'),
      example('warrant_help', {}, 'gate_explain'),
      example('evidence_status', {}, 'PRE_COMMIT'),
      example('evidence_summary', {}, 'severity_counts'),
      example('evidence_snapshot', {}, 'src/bad.ts'),
      example('evidence_findings', {}, 'src/bad.ts'),
      example('evidence_rulesets', {}, '"hash"'),
      example('evidence_platforms', {}, 'backend'),
      example('evidence_ledger', {}, 'src/bad.ts'),
      example('gate_check', { stage: 'PRE_COMMIT' }, 'PRE_COMMIT'),
      example('gate_run', { stage: 'PRE_COMMIT' }, 'src/bad.ts'),
      example('gate_explain', { rule: 'heuristics.ts.eval.ast' }, 'eval'),
      example('gate_spec', {}, 'check_sdd_status'),
      example('gate_validate_spec', {}, 'validate_and_fix'),
      example('gate_sync_branches', {}, 'sync_branches'),
      example('gate_cleanup_branches', {}, 'cleanup_stale_branches'),
      example('project_read', { path: 'notes.md' }, `The word is ${SECRET_WORD}.`),
      example(
        'project_read_many',
        { paths: ['notes.md', 'src/app.ts'] },
        'src/app.ts <==\nexport class Kettle',
      ),
      example('project_info', { path: 'notes.md' }, '"readable"'),
      example('project_list', { path: 'src' }, 'app.ts'),
      example('project_tree', {}, 'app.ts'),
      example('project_glob', { pattern: '*.ts' }, 'src/app.ts'),
      example('project_search', { pattern: SECRET_WORD }, `3:The word is ${SECRET_WORD}.`),
      example('project_symbols', { path: 'src/app.ts' }, 'class Kettle'),
      example('project_find_symbol', { name: 'Kettle/boil' }, 'src/app.ts:2-4'),
      example('project_find_references', { name: 'Kettle' }, 'src/app.ts:6: export const kettle'),
      example('readProjectStructure', { path: '.' }, 'notes.md'),
      example('readJavaFile', { path: 'notes.md' }, `The word is ${SECRET_WORD}.`),
      example('project_write_report', { content: '# Report' }, 'SENTINEL_REPORT_'),
      example('project_connections', { projectPath: '.' }, 'inventory'),
      example('project_structure', { projectPath: '.' }, 'OrderService'),
      example('project_signatures', { projectPath: '.' }, 'OrderService'),
      example('project_analyze', { rootPath: '.' }, 'OrderService'),
      example('project_report', {}, '# Sentinel Architecture Report'),
      example('belief_create', { belief: 0.5, energy: 10 }, '"node_id"'),
      example('belief_create', { belief: 0.9, energy: 10 }, '"node_id"'),
      example('belief_mutate', { node_id: '0', delta: 0.1 }, '"belief"'),
      example('belief_query', { node_id: '0' }, '"energy"'),
      example('belief_bind', { src: '0', dst: '1', weight: 0.5 }, '"edge_id"'),
      example('belief_propagate', { edge_id: '0' }, '"converged"'),
      example('belief_drift', {}, '"coherent"'),
      example('belief_audit', { node_id: '0' }, 'VALID'),
      example('lineage_replay', {}, '"checksum"'),
      example('lineage_export', { path: 'lineage.json' }, 'lineage.json'),
      example('belief_status', {}, '"healthy"'),
      example('lineage_verify', {}, 'intact'),
      example('lineage_prove', { seq: 0 }, '"leaf"'),
      example('belief_explain', { node_id: '1' }, '"node_id"'),
      example('packet_lookup', { name: 'demo' }, 'pinned_uri'),
      example('packet_query', { ref: 'demo', q: 'descale the kettle' }, SECRET_WORD),
      example('packet_plan', { intent: 'descale the kettle', name_hint: 'demo' }, 'pinned_uri'),
      example('packet_digest', { ref: 'demo', question: 'descale the kettle' }, SECRET_WORD),
    ]
  }
}
