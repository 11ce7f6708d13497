/** What folders of `coffer users export` and of `coffer backup create` have in common. */
import type { Block } from './blocks.js'

/** What a line of the index says; what its kinds are follows. */
export const indexForm =
  'The members: a line of JSON for each, deflated (raw). file is its place in the folder; digest is the SHA-256 of what it holds, ' +
  'hexadecimal; bytes its length, stored that of the file; packed, where it is there, says that it is deflated (raw).'

/** The members of manifest.json, for an archive of a kind whose counts are explained by `counts`. */
export const manifestTerms = (kind: 'account' | 'node', counts: string): ReadonlyArray<readonly [string, string]> => [
  ['archive, version, kind', `"coffer", the version of the form of archives (1), and "${kind}".`],
  ['name, made, product, node, format', 'The name of the folder when it was written, when that was, the version of coffer, the id of the node, the format of its store.'],
  ['position', 'How far the changes of the node had come: commit, its number, and hash.'],
  ['counts', counts],
  ['bytes, storedBytes, newBytes, members', 'The length of all members, as they are and as they are stored, of what no archive before had, and how many members there are.'],
  ['index', 'digest (SHA-256), bytes and stored of the index.'],
  ['sealing', 'Of a sealed folder: by ("argon2id"), salt, memory (KiB), passes, lanes, and key, all bytes in Base64.'],
  ['proof', 'SHA-256 of the JSON text of all other members, their names in order at every depth, without white space, name being "". Sealed, it is an HMAC under the key for proofs.'],
]

/** How members are encrypted. */
export const sealing: readonly Block[] = [
  { heading: 'Sealing' },
  {
    text:
      'With a passphrase, all files but manifest.json are encrypted. Argon2id makes 32 bytes of the passphrase (Unicode NFC) with the ' +
      'salt and costs in sealing; they open sealing.key, which is a nonce of 24 bytes and XChaCha20-Poly1305 (IETF) over 32 bytes, with ' +
      '"coffer archive key" as additional data. HMAC-SHA-256 under those of "content", "names" and "proof" gives the three keys in use. ' +
      'A file is a secretstream of libsodium under the content key: a header of 24 bytes, then frames, each behind its length (four bytes, ' +
      'little-endian), the last one tagged final. Members below members/ are named by the HMAC of their digest under the key for names.',
  },
]
