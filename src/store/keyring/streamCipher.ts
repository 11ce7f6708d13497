/** Encrypted streams: libsodium's secretstream (XChaCha20-Poly1305), for sync connections and archives. */
import sodium from 'libsodium-wrappers'

/** Overhead of a frame over its message, in bytes. */
export const STREAM_OVERHEAD = 17
export const STREAM_HEADER_BYTES = 24

/** Opens and seals the frames of one direction each, in order. Must be released: its state is not on the heap. */
export interface StreamCipher {
  release(): void
}

export interface EncryptingStream extends StreamCipher {
  /** Header for the other end, sent before the first frame: 24 bytes. */
  readonly header: Uint8Array
  seal(message: Uint8Array, isLast: boolean): Uint8Array
}

export interface DecryptingStream extends StreamCipher {
  /** Opens a frame; undefined when it is not the next one that the other end sealed. */
  open(frame: Uint8Array): { message: Uint8Array; isLast: boolean } | undefined
}

type State = Parameters<typeof sodium.crypto_secretstream_xchacha20poly1305_push>[0]

/** The wrapper allocates a stream's state in WebAssembly memory and never frees it. */
const allocator = sodium as unknown as { libsodium: { _free(address: State): void } }

function createHandle(state: State): { address(): State; release(): void } {
  let isReleased = false
  return {
    address() {
      if (isReleased) throw new Error('the stream was released')
      return state
    },
    release() {
      if (!isReleased) allocator.libsodium._free(state)
      isReleased = true
    },
  }
}

/** Creates the sending end of a direction with its key of 32 bytes. */
export function createEncryptingStream(key: Uint8Array): EncryptingStream {
  const { state, header } = sodium.crypto_secretstream_xchacha20poly1305_init_push(key)
  const { address, release } = createHandle(state)
  return {
    header,
    seal(message, isLast) {
      const tag = isLast
        ? sodium.crypto_secretstream_xchacha20poly1305_TAG_FINAL
        : sodium.crypto_secretstream_xchacha20poly1305_TAG_MESSAGE
      return sodium.crypto_secretstream_xchacha20poly1305_push(address(), message, null, tag)
    },
    release,
  }
}

/** Creates the receiving end of a direction with its key and the received header. */
export function createDecryptingStream(header: Uint8Array, key: Uint8Array): DecryptingStream {
  const { address, release } = createHandle(sodium.crypto_secretstream_xchacha20poly1305_init_pull(header, key))
  return {
    open(frame) {
      if (frame.length < STREAM_OVERHEAD) return undefined
      const pulled = sodium.crypto_secretstream_xchacha20poly1305_pull(address(), frame, null)
      if (pulled === false) return undefined
      return { message: pulled.message, isLast: pulled.tag === sodium.crypto_secretstream_xchacha20poly1305_TAG_FINAL }
    },
    release,
  }
}
