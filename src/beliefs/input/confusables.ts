/**
 * Letters of other scripts that pass for a Latin one, by the letter they pass for. Both cases are listed where
 * they pass for different letters (a capital eta is an H, a small one an n); otherwise one stands for both.
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
  // What is listed wins over what only follows from a small letter.
  return new Map([...capitals, ...listed])
}

const LATIN = lookalikeMap()

const toLatin = (text: string): string =>
  text.replace(/[^\0-\x7f]/gu, (letter) => LATIN.get(letter) ?? letter)

/**
 * A name reduced to what a reader would take it for. Marks and invisible characters go, so that they cannot
 * keep a letter from being recognised; so does everything between words. A capital I is an l in many a font,
 * and a zero an o, so each pair counts as one letter.
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
