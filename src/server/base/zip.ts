/**
 * Writes ZIP files to a stream in one pass, with bounded memory. Sizes follow the content of each file, and the directory is at the
 * end, so a file that was cut off cannot be opened. The library is loaded with the first file.
 */
import { ReadableStream, WritableStream } from 'node:stream/web'

export interface ZipWriter {
  /**
   * Adds a file. When `content` fails, the file is not in the directory; bytes that were sent stay in the stream.
   * @throws errors of `content`, and of `send`
   */
  add(name: string, content: AsyncIterable<Uint8Array>): Promise<void>
  /** Writes the directory, without which readers refuse the file. */
  end(): Promise<void>
}

/** Creates a writer; `send` resolves when more may be sent. `now` in seconds since 1970. */
export async function createZip(send: (chunk: Uint8Array) => Promise<void>, now: number): Promise<ZipWriter> {
  const { configure, ZipWriter: Writer } = await import('@zip.js/zip.js/lib/zip-core-custom.js')
  // Streams of the runtime compress in a thread of their own.
  configure({ useWebWorkers: false, useCompressionStream: true })
  // ZIP64, since the sizes are not known in advance.
  const zip = new Writer(new WritableStream({ write: send }) as never, { zip64: true, dataDescriptor: true, lastModDate: new Date(now * 1000) })
  return {
    async add(name, content) {
      const chunks = content[Symbol.asyncIterator]()
      try {
        await zip.add(name, ReadableStream.from({ [Symbol.asyncIterator]: () => chunks }) as never)
      } finally {
        // Stops reading a file whose receiver left.
        await chunks.return?.()
      }
    },
    end: async () => void (await zip.close()),
  }
}
