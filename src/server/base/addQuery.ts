type Parameters = readonly (readonly [name: string, value: string])[]

/** Adds parameters to a URL, each percent-encoded. Keeps the URL's own query and fragment. */
export function addQuery(page: string, parameters: Readonly<Record<string, string>> | Parameters): string {
  const [address = '', ...fragment] = page.split('#')
  const pairs = Array.isArray(parameters) ? (parameters as Parameters) : Object.entries(parameters)
  // A lone surrogate cannot be percent-encoded.
  const query = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&')
  const joint = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&'
  return [`${address}${joint}${query}`, ...fragment].join('#')
}
