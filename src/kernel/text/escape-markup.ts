/** Escapes text for HTML, SVG and quoted attributes by numeric references, which both HTML and XML know. */
export const escapeMarkup = (text: string): string =>
  text.replace(/[&<>"'`]/g, (char) => `&#${char.charCodeAt(0)};`)
