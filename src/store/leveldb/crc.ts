/**
 * CRC-32C, and the masked form in which LevelDB stores it.
 */
import { crc32c as native } from '@node-rs/crc32'

const MASK_DELTA = 0xa282ead8

/** Returns the CRC-32C of `bytes`, unsigned; with `before`, that of the bytes `before` covers followed by `bytes`. */
export function crc32c(bytes: Uint8Array, before = 0): number {
  return native(bytes, before)
}

/** Returns the masked form that LevelDB stores, because a checksum over bytes that contain their own checksum is weak. */
export function maskCrc(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0
}

/** Returns the checksum of a masked form. */
export function unmaskCrc(masked: number): number {
  const rotated = (masked - MASK_DELTA) >>> 0
  return ((rotated >>> 17) | (rotated << 15)) >>> 0
}

const STEPS = new Uint32Array(256).map((_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
  return crc
})

/** Creates a CRC-32C that is read after every byte: a call to native code costs more than a byte does. */
export function crcByByte(): (byte: number) => number {
  let state = 0xffffffff
  return (byte) => {
    state = (STEPS[(state ^ byte) & 255] ?? 0) ^ (state >>> 8)
    return ~state >>> 0
  }
}
