/** CRDT changes that no recorder makes: damaged on purpose, with a valid checksum. */
import { hash } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'

/** Returns a change with the checksum of its bytes. */
export function withChecksum(change: Uint8Array): Uint8Array {
  const sound = Uint8Array.from(change)
  sound.set(Buffer.from(hash('sha256', sound.subarray(8), 'hex'), 'hex').subarray(0, 4), 4)
  return sound
}

/** Encodes a number below 2^53, seven bits per byte. */
export function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...unsigned(Math.floor(value / 128))]
}

/** Encodes a positive number, seven bits per byte, with room for the sign. */
export function signed(value: number): number[] {
  return value < 64 ? [value] : [(value % 128) + 128, ...signed(Math.floor(value / 128))]
}

/** Returns a change in Automerge's compressed form, which has the checksum of the plain one. */
export function deflated(change: Uint8Array): Uint8Array {
  const lengthFrom = 9
  const bodyFrom = change.findIndex((byte, i) => i >= lengthFrom && byte < 128) + 1
  const body = deflateRawSync(change.subarray(bodyFrom))
  return Uint8Array.from([...change.subarray(0, 8), 2, ...unsigned(body.length), ...body])
}

/** Encodes an initial change of columns, byte by byte. */
export function changeOf(columns: readonly (readonly [id: number, bytes: readonly number[]])[]): Uint8Array {
  const actor = Buffer.alloc(16, 0xab)
  const heads = columns.flatMap(([id, bytes]) => [...unsigned(id), ...unsigned(bytes.length)])
  const head = [0, actor.length, ...actor, 1, 1, 0, 0, 0, columns.length, ...heads]
  const body = [...head, ...columns.flatMap(([, bytes]) => bytes)]
  return withChecksum(Uint8Array.from([0x85, 0x6f, 0x4a, 0x83, 0, 0, 0, 0, 1, ...unsigned(body.length), ...body]))
}
