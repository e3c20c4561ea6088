import * as z from 'zod'
import type { Warning } from '../source/source-files.ts'
import type { Dependency } from './build-module.ts'

/** The answer of get_project_structure. The schema lists the main members; others are passed on. */

interface PackageView {
  readonly name: string
  readonly files: readonly string[]
}

export interface ModuleView {
  readonly name: string
  readonly path: string
  readonly tool: 'maven' | 'gradle' | 'npm' | 'plain'
  readonly groupId?: string
  readonly artifactId?: string
  readonly version?: string
  readonly packaging?: string
  readonly modules: readonly string[]
  readonly packages: readonly PackageView[]
  readonly testPackages: readonly PackageView[]
  readonly resources: readonly string[]
}

export interface PackageNode {
  /** Classes of this package alone. */
  classCount: number
  /** With all subpackages. */
  totalClassCount: number
  subPackages: Record<string, PackageNode>
}

type Library = Omit<Dependency, 'scope'>

export interface Structure {
  readonly root: {
    readonly path: string
    readonly maven: {
      readonly groupId?: string
      readonly artifactId?: string
      readonly version?: string
      readonly modules?: readonly string[]
      readonly missing: boolean
    }
    readonly modules: readonly ModuleView[]
  }
  readonly project: {
    readonly name: string
    readonly tool: ModuleView['tool']
    readonly version?: string
    readonly packaging?: string
    readonly description?: string
    readonly java?: string
    readonly springBoot?: string
    readonly rootPath: string
    readonly scanTimestamp: string
    readonly modules: readonly string[]
    readonly packages: Readonly<Record<string, PackageNode>>
    readonly dependencies: { readonly runtime: readonly Library[]; readonly test: readonly Library[] }
    readonly statistics: {
      readonly totalClasses: number
      readonly totalPackages: number
      readonly javaFilesCount: number
      readonly kotlinFilesCount: number
      readonly configFilesCount: number
      readonly largestPackage: string | null
    }
  }
  readonly dependencies: readonly (Dependency & { readonly module: string; readonly inHouse: boolean })[]
  readonly tree: string
  readonly warnings: readonly Warning[]
}

const Loose = z.looseObject({})

export const StructureShape = z.looseObject({
  root: z.looseObject({ maven: Loose, modules: z.array(Loose) }),
  project: z.looseObject({ name: z.string(), statistics: Loose }),
  dependencies: z.array(Loose).describe('Libraries, each with module, scope and inHouse.'),
  tree: z.string(),
  warnings: z.array(Loose),
})
