/** Whether a value that looks like a secret is a documented example or a placeholder; `line` holds it. */
export const isPlaceholder = (_value: string, _line: string, _path: string): boolean => false
