/** Format shared by the folders of `coffer users export` and `coffer backup create`. */
import type { Block } from './blocks.js'

/** Description of a line of the index; the description of its kinds follows. */
export const indexForm =
  'The members: one line of JSON each, deflated (raw). file is its path in the folder; digest is the SHA-256 of its content, ' +
  'hexadecimal; bytes its length, stored that of the file; packed, if present, means that it is deflated (raw).'

/** Returns the members of manifest.json for a kind of archive; `counts` describes its counts. */
export const manifestTerms = (kind: 'account' | 'node', counts: string): ReadonlyArray<readonly [string, string]> => [
  ['archive, version, kind', `"coffer", the version of the archive format (1), and "${kind}".`],
  ['name, made, product, node, format', 'The name of the folder when it was written, the time, the version of coffer, the id of the node, the format of its store.'],
  ['position', 'The position in the commit chain of the node: commit, the number, and hash.'],
  ['counts', counts],
  ['bytes, storedBytes, newBytes, members', 'The total length of all members, uncompressed and stored, the length of those not shared with an earlier archive, and the number of members.'],
  ['index', 'digest (SHA-256), bytes and stored of the index.'],
  ['sealing', 'For a sealed folder: by ("argon2id"), salt, memory (KiB), passes, lanes, and key, all bytes in Base64.'],
  ['proof', 'SHA-256 of the JSON text of all other members, with sorted names at every depth, without white space, and with name set to "". In a sealed folder, an HMAC with the key for proofs.'],
]

/** Sections that describe the encryption of members. */
export const sealing: readonly Block[] = [
  { heading: 'Sealing' },
  {
    text:
      'With a passphrase, all files but manifest.json are encrypted. Argon2id derives 32 bytes from the passphrase (Unicode NFC) with the ' +
      'salt and costs in sealing; they decrypt sealing.key, which is a nonce of 24 bytes and XChaCha20-Poly1305 (IETF) over 32 bytes, with ' +
      '"coffer archive key" as additional data. HMAC-SHA-256 of "content", "names" and "proof" with these gives the three working keys. ' +
      'A file is a secretstream of libsodium under the content key: a header of 24 bytes, then frames, each preceded by its length (four bytes, ' +
      'little-endian), the last one tagged final. Files below members/ are named by the HMAC of their digest with the key for names.',
  },
]
