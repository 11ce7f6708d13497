/**
 * CRC-32C, and the masked form in which LevelDB stores it.
 */
import { crc32c as native } from '@node-rs/crc32'

const MASK_DELTA = 0xa282ead8

/**
 * The CRC-32C of `bytes`, unsigned; with `before`, the one of everything that `before` covers followed by `bytes`.
 */
export function crc32c(bytes: Uint8Array, before = 0): number {
  return native(bytes, before)
}

/** The masked form: LevelDB stores this, because a checksum over bytes that hold their own checksum is weak. */
export function maskCrc(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0
}

/** The checksum behind its masked form. */
export function unmaskCrc(masked: number): number {
  const rotated = (masked - MASK_DELTA) >>> 0
  return ((rotated >>> 17) | (rotated << 15)) >>> 0
}
