type Parameters = readonly (readonly [name: string, value: string])[]

/** The address of a web page with parameters added, each percent-encoded. The page may have parameters of its own, and a fragment. */
export function addQuery(page: string, parameters: Readonly<Record<string, string>> | Parameters): string {
  const [address = '', ...fragment] = page.split('#')
  const pairs = Array.isArray(parameters) ? (parameters as Parameters) : Object.entries(parameters)
  const query = pairs.map(([name, value]) => `${name}=${encodeURIComponent(wellFormed(value))}`).join('&')
  const joint = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&'
  return [`${address}${joint}${query}`, ...fragment].join('#')
}

/** Halves of characters, which no address can hold, are replaced. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')
