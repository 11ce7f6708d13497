/**
 * Sends an account archive to another machine: its members become the files of a frame body. Encryption happens on either
 * end: the keys of an archive never leave their machine.
 */
import * as z from 'zod'
import { SourceChanged, type Archive, type ArchiveDraft } from '../../store/backup/archive.js'
import { ArchiveFacts, type Manifest } from '../../store/backup/manifest.js'
import { isFileDigest } from '../../store/leveldb/filesOnDisk.js'
import { Failure, describeFailure } from '../../store/model/failure.js'
import { FileBroken, fileFrames, FRAME, FramesDamaged, messageOf, messageFrame, type Frame, type FrameReader } from '../base/frames.js'
import type { AccountDraft } from './exportContext.js'
import { FILE, LINE_FILES, LINES } from './format.js'

/** Metadata that starts a member. Only names of the format are accepted, so no path comes from another machine. */
const Begun = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal(LINES), file: z.enum(LINE_FILES) }),
  z.strictObject({ kind: z.literal(FILE), digest: z.string().refine(isFileDigest), bytes: z.number().int().min(0) }),
])

type Begun = z.output<typeof Begun>

const Done = z.object({ facts: ArchiveFacts, problems: z.array(z.string()).default([]) })
const Progress = z.object({ noun: z.string(), count: z.number() })

/** Returns a draft that is sent as it is written; `send` receives each frame. */
export function sendingDraft(send: (frame: Buffer) => Promise<void>): AccountDraft<z.output<typeof ArchiveFacts>> {
  const sendMember = async (about: Begun, content: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const frame of fileFrames(about, content)) await send(frame)
  }
  return {
    addNamed: (file, content) => sendMember(begunBy({ kind: LINES, file }), content),
    async addStream(content, digest, bytes) {
      await sendMember(begunBy({ kind: FILE, digest, bytes }), content())
      return bytes
    },
    finish: (facts) => Promise.resolve(facts),
    drop: () => Promise.resolve(),
  }
}

/** Returns the frame that follows the last member. */
export const sentDone = (facts: z.output<typeof ArchiveFacts>, problems: readonly string[]): Buffer => messageFrame(FRAME.done, { facts, problems })

/** Yields the frames of a local account archive; `onBytes` receives the number of bytes sent. @throws errors of reading it */
export async function* archiveFrames(archive: Archive, onBytes?: (count: number) => void): AsyncGenerator<Buffer> {
  for (const member of archive.members) yield* fileFrames(begunBy(member.kind === LINES ? { kind: LINES, file: member.file } : { kind: FILE, digest: member.digest, bytes: member.bytes }), archive.read(member), onBytes)
  yield sentDone(ArchiveFacts.parse(archive.manifest), [])
}

/** Parses a member's metadata. @throws Failure `corrupted-data` for anything not part of an account archive */
function begunBy(about: unknown): Begun {
  const begun = Begun.safeParse(about)
  if (!begun.success) throw new Failure('corrupted-data', `The archive contains an unexpected member: ${JSON.stringify(about)}`)
  return begun.data
}

interface Receiving {
  /** Maximum size of an attached file in MB; absent: no limit. */
  maxFileMb?: number
  /** Maximum total size in bytes. */
  maxBytes?: number
  /** Called with the progress of the sender. */
  progress?(noun: string, count: number): void
}

const MB = 1024 * 1024

/**
 * Receives an archive and finishes the draft; drops it on failure. Skips attached files that the sender could not read.
 * @throws FramesDamaged; Failure `payload-too-large`, or the sender's failure; errors of the disk
 */
export async function receiveArchive(frames: FrameReader, draft: ArchiveDraft, input: Receiving = {}): Promise<{ manifest: Manifest; problems: string[] }> {
  try {
    const { facts, problems } = await receiveMembers(frames, draft, input)
    return { manifest: await draft.finish(facts), problems }
  } catch (error) {
    await draft.drop()
    throw error
  }
}

async function receiveMembers(frames: FrameReader, draft: ArchiveDraft, input: Receiving): Promise<z.output<typeof Done>> {
  const { maxFileMb = Infinity, maxBytes: maxBytes = Infinity, progress } = input
  const named = new Set<string>()
  let total = 0
  async function* content(limit: number): AsyncGenerator<Buffer> {
    let size = 0
    for await (const bytes of frames.file()) {
      size += bytes.length
      total += bytes.length
      if (size > limit) throw new Failure('payload-too-large', `An attached file is larger than ${maxFileMb} MB (uploads.maxSizeMb).`, { limitMb: maxFileMb })
      if (total > maxBytes) throw new FramesDamaged('More bytes arrived than announced.')
      yield bytes
    }
  }
  for (;;) {
    const frame = await frames.required()
    if (frame.letter === FRAME.file) await member(frame)
    else if (frame.letter === FRAME.progress) {
      const { noun, count } = messageOf(frame, Progress)
      progress?.(noun, count)
    } else if (frame.letter === FRAME.done) return messageOf(frame, Done)
    else throw frame.letter === FRAME.failed ? failureIn(frame) : new FramesDamaged('A frame has an unknown type.')
  }

  async function member(frame: Frame): Promise<void> {
    const begun = messageOf(frame, Begun)
    if (begun.kind === LINES) {
      if (named.has(begun.file)) throw new FramesDamaged(`${begun.file} occurs twice.`)
      named.add(begun.file)
      return draft.addNamed(begun.file, content(Infinity), { kind: LINES })
    }
    try {
      await draft.addStream(() => content(maxFileMb * MB), begun.digest, begun.bytes, { kind: FILE })
    } catch (error) {
      if (error instanceof FileBroken) return
      throw error instanceof SourceChanged ? new FramesDamaged('The bytes of a file do not match its name.') : error
    }
    // Skip a file that was already there.
    if (frames.isInFile) for await (const _ of content(maxFileMb * MB));
  }
}

const Failed = z.object({ id: z.string(), message: z.string(), data: z.unknown().optional() })

/** Returns the sender's failure. */
function failureIn(frame: Frame): Failure {
  return describeFailure(messageOf(frame, Failed))
}
