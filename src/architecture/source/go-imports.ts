/**
 * Whether an import path in one folder names the package in another one. The name of a Go module need not be that of
 * its folder: `example.com/orders/config` may be `services/orders-service/config` for the files beside it.
 */
export const isImportOf = (module: string, folder: string, from: string): boolean => {
  let rest = folder
  for (let root = ''; rest !== ''; ) {
    if (module === rest || module.endsWith(`/${rest}`)) return true
    const [step = ''] = rest.split('/', 1)
    root = root === '' ? step : `${root}/${step}`
    if (from !== root && !from.startsWith(`${root}/`)) return false
    rest = rest.slice(step.length + 1)
  }
  return false
}
