/**
 * Letters of other scripts that look like a Latin letter (confusables), by that letter. Both cases are listed when they
 * resemble different letters (capital eta looks like H, small eta like n); otherwise one case stands for both.
 */
const LOOKALIKES: Readonly<Record<string, string>> = {
  a: 'аαɑᴀ',
  b: 'вьβʙƅВΒЬ',
  c: 'сϲᴄҫς',
  d: 'ԁɗᴅժ',
  e: 'еεєҽᴇЕΕ℮',
  f: 'ғϝƒꜰ',
  g: 'ɡɢԌց',
  h: 'һнНΗհʜћ',
  i: 'іιıɪӏΙІⲓ',
  j: 'јϳᴊ',
  k: 'кκᴋԟКΚ',
  l: 'ӀʟǀⳑԼ',
  m: 'мᴍМΜ',
  n: 'ηпɴոΝ',
  o: 'оοσօᴏΟОⲟ',
  p: 'рρᴘРΡⲣ',
  q: 'ԛզ',
  r: 'гʀᴦΓ',
  s: 'ѕꜱʂտ',
  t: 'тτᴛТΤ',
  u: 'υμսᴜц',
  v: 'νѵᴠ',
  w: 'ωԝшᴡա',
  x: 'хχ×ХΧ',
  y: 'уγүʏУΥҮ',
  z: 'ζᴢΖ',
}

const lookalikeMap = (): Map<string, string> => {
  const listed = Object.entries(LOOKALIKES).flatMap(([latin, others]) =>
    [...others].map((other): [string, string] => [other, latin]),
  )
  const capitals = listed.map(([other, latin]): [string, string] => [other.toUpperCase(), latin])
  // Explicit entries override capitals that were derived from small letters.
  return new Map([...capitals, ...listed])
}

const LATIN = lookalikeMap()

const toLatin = (text: string): string =>
  text.replace(/[^\0-\x7f]/gu, (letter) => LATIN.get(letter) ?? letter)

/**
 * A skeleton of a name in the sense of UTS #39: names that look alike have the same skeleton. Combining marks, invisible
 * characters and everything but letters and digits are removed. I, l and 1 count as one letter, and so do o and 0.
 */
export const confusableSkeleton = (name: string): string =>
  toLatin(
    toLatin(name)
      .normalize('NFKD')
      .replace(/[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, ''),
  )
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/[l1]/g, 'i')
    .replace(/0/g, 'o')
