/** Loads the library for certificates on demand. */

type X509 = typeof import('@peculiar/x509')

/**
 * Loads the library. Node.js offers the exports of a CommonJS module by name, and the bundle (build.js) only as the default export.
 */
export async function loadX509(): Promise<X509> {
  const loaded: X509 & { default?: X509 } = await import('@peculiar/x509')
  return loaded.default ?? loaded
}
