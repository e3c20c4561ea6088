import * as z from 'zod'

export const WarningShape = z.object({ code: z.string(), file: z.string(), message: z.string() })

const DependencyShape = z.object({
  groupId: z.string(),
  artifactId: z.string(),
  version: z.string().optional(),
  scope: z.string(),
  module: z.string().describe('Path of the module that asks for it.'),
  inHouse: z.boolean().describe('Whether its group is one of ours.'),
})

const PackageShape = z.object({ name: z.string(), files: z.array(z.string()) })

const ModuleShape = z.object({
  name: z.string(),
  path: z.string(),
  tool: z.enum(['maven', 'gradle', 'npm', 'plain']),
  groupId: z.string().optional(),
  artifactId: z.string().optional(),
  version: z.string().optional(),
  packaging: z.string().optional(),
  modules: z.array(z.string()),
  packages: z.array(PackageShape),
  testPackages: z.array(PackageShape),
  resources: z.array(z.string()),
})

const MavenShape = z.object({
  groupId: z.string().optional(),
  artifactId: z.string().optional(),
  version: z.string().optional(),
  modules: z.array(z.string()).optional(),
  missing: z.boolean(),
})

const LibraryShape = z.object({ groupId: z.string(), artifactId: z.string(), version: z.string().optional() })

/** A branch of the package tree. Its own branches have the same shape. */
const PackageTree = z.record(z.string(), z.unknown())

export const StructureShape = z.object({
  root: z.object({ path: z.string(), maven: MavenShape, modules: z.array(ModuleShape) }),
  project: z.object({
    name: z.string(),
    tool: z.enum(['maven', 'gradle', 'npm', 'plain']),
    version: z.string().optional(),
    packaging: z.string().optional(),
    description: z.string().optional(),
    java: z.string().optional(),
    springBoot: z.string().optional(),
    rootPath: z.string(),
    scanTimestamp: z.string(),
    modules: z.array(z.string()),
    packages: PackageTree,
    dependencies: z.object({ runtime: z.array(LibraryShape), test: z.array(LibraryShape) }),
    statistics: z.object({
      totalClasses: z.int(),
      totalPackages: z.int(),
      javaFilesCount: z.int(),
      kotlinFilesCount: z.int(),
      configFilesCount: z.int(),
      largestPackage: z.string().nullable(),
    }),
  }),
  dependencies: z.array(DependencyShape),
  tree: z.string().describe('The same as a text tree.'),
  warnings: z.array(WarningShape),
})

export type Structure = z.infer<typeof StructureShape>
export type ModuleView = z.infer<typeof ModuleShape>
