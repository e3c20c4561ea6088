import { expect, it } from 'vitest'
import { swiftDraft } from './jvm-applications.ts'

const target = (name: string, type: string) => `		A1 /* ${name} */ = {
			isa = PBXNativeTarget;
			name = "${name}";
			productReference = A2;
			productType = "com.apple.product-type.${type}";
		};
`

it.each([
  {
    title: 'an application with an extension, for iOS',
    path: 'ios/Shop.xcodeproj/project.pbxproj',
    text: `${target('Widget', 'app-extension')}${target('Shop', 'application')}SDKROOT = iphoneos;`,
    found: 'mobile application in ios: application target Shop, line 11',
  },
  {
    title: 'an application for macOS',
    path: 'Shop.xcodeproj/project.pbxproj',
    text: `${target('Shop', 'application')}SDKROOT = macosx;`,
    found: 'desktop application in : application target Shop, line 5',
  },
  {
    title: 'a framework',
    path: 'Kit.xcodeproj/project.pbxproj',
    text: target('Kit', 'framework'),
    found: undefined,
  },
  {
    title: 'a project file of XcodeGen',
    path: 'project.yml',
    text: 'name: Shop\ntargets:\n  Kit:\n    type: framework\n  Shop:\n    platform: iOS\n    type: application\n',
    found: 'mobile application in : application target Shop, line 5',
  },
  {
    title: 'a server',
    path: 'api/Package.swift',
    text: 'let package = Package(dependencies: [.package(url: "https://github.com/vapor/vapor.git")],\n  targets: [.executableTarget(name: "App")])',
    found: 'service in api: executable App, line 2',
  },
  {
    title: 'a command',
    path: 'Package.swift',
    text: 'let package = Package(products: [.executable(name: "tool", targets: [])])',
    found: 'command in : executable tool, line 1',
  },
  {
    title: 'a library',
    path: 'Package.swift',
    text: 'let package = Package(products: [.library(name: "Kit", targets: ["Kit"])])',
    found: undefined,
  },
])('$title', ({ path, text, found }) => {
  const [draft] = swiftDraft(path, () => text)
  const shown =
    draft && `${draft.kind} in ${draft.folder}: ${draft.evidence.reason}, line ${draft.evidence.line}`
  expect(shown).toBe(found)
})
