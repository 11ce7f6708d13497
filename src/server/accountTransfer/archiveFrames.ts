/**
 * An archive of one account on its way to another machine: its members are the files of a body of frames. Sealing belongs
 * to either end: what seals an archive never leaves the machine on which it is sealed.
 */
import * as z from 'zod'
import { SourceChanged, type Archive, type ArchiveDraft } from '../../store/backup/archive.js'
import { ArchiveFacts, type Manifest } from '../../store/backup/manifest.js'
import { isFileDigest } from '../../store/leveldb/filesOnDisk.js'
import { Failure, describeFailure } from '../../store/model/failure.js'
import { FileBroken, fileFrames, FRAME, FramesDamaged, messageOf, messageFrame, type Frame, type FrameReader } from '../base/frames.js'
import type { AccountDraft } from './exportAccount.js'
import { FILE, LINE_FILES, LINES } from './format.js'

/** What begins a member. Names are those of the format alone, so that no path comes from another machine. */
const Begun = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal(LINES), file: z.enum(LINE_FILES) }),
  z.strictObject({ kind: z.literal(FILE), digest: z.string().refine(isFileDigest), bytes: z.number().int().min(0) }),
])

type Begun = z.output<typeof Begun>

const Done = z.object({ facts: ArchiveFacts, problems: z.array(z.string()).default([]) })
const Progress = z.object({ noun: z.string(), count: z.number() })

/** An archive that is sent as it is made; `send` takes each frame. */
export function sendingDraft(send: (frame: Buffer) => Promise<void>): AccountDraft<z.output<typeof ArchiveFacts>> {
  const sent = async (about: Begun, content: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const frame of fileFrames(about, content)) await send(frame)
  }
  return {
    addNamed: (file, content) => sent(begunBy({ kind: LINES, file }), content),
    async addStream(content, digest, bytes) {
      await sent(begunBy({ kind: FILE, digest, bytes }), content())
      return bytes
    },
    finish: (facts) => Promise.resolve(facts),
    drop: () => Promise.resolve(),
  }
}

/** The frame behind the last member. */
export const sentDone = (facts: z.output<typeof ArchiveFacts>, problems: readonly string[]): Buffer => messageFrame(FRAME.done, { facts, problems })

/** The frames of an archive of one account that is here; `told` hears of the bytes that go out. Throws what reading it throws. */
export async function* archiveFrames(archive: Archive, described?: (count: number) => void): AsyncGenerator<Buffer> {
  for (const member of archive.members) yield* fileFrames(begunBy(member.kind === LINES ? { kind: LINES, file: member.file } : { kind: FILE, digest: member.digest, bytes: member.bytes }), archive.read(member), described)
  yield sentDone(ArchiveFacts.parse(archive.manifest), [])
}

/** @throws Failure `corrupted-data` for what no archive of an account holds */
function begunBy(about: unknown): Begun {
  const begun = Begun.safeParse(about)
  if (!begun.success) throw new Failure('corrupted-data', `The archive holds what no archive of an account does: ${JSON.stringify(about)}`)
  return begun.data
}

export interface Receiving {
  /** The most that an attached file may have; without limit when undefined. */
  maxFileMb?: number
  /** The most that all may have together. */
  maxBytes?: number
  /** Hears how far the sender is. */
  progress?(noun: string, count: number): void
}

const MB = 1024 * 1024

/**
 * Takes in an archive, and finishes the draft; drops it when that fails. Attached files that the sender could not read are
 * left out.
 * @throws FramesDamaged; Failure `payload-too-large`, or what the sender failed with; what the disk throws
 */
export async function receiveArchive(frames: FrameReader, draft: ArchiveDraft, input: Receiving = {}): Promise<{ manifest: Manifest; problems: string[] }> {
  try {
    const { facts, problems } = await taken(frames, draft, input)
    return { manifest: await draft.finish(facts), problems }
  } catch (error) {
    await draft.drop()
    throw error
  }
}

async function taken(frames: FrameReader, draft: ArchiveDraft, input: Receiving): Promise<z.output<typeof Done>> {
  const { maxFileMb = Infinity, maxBytes: maxBytes = Infinity, progress } = input
  const named = new Set<string>()
  let total = 0
  async function* content(limit: number): AsyncGenerator<Buffer> {
    let size = 0
    for await (const bytes of frames.file()) {
      size += bytes.length
      total += bytes.length
      if (size > limit) throw new Failure('payload-too-large', `An attached file is larger than ${maxFileMb} MB (uploads.maxSizeMb).`, { limitMb: maxFileMb })
      if (total > maxBytes) throw new FramesDamaged('More came than was said to come.')
      yield bytes
    }
  }
  for (;;) {
    const frame = await frames.due()
    if (frame.letter === FRAME.file) await member(frame)
    else if (frame.letter === FRAME.progress) {
      const { noun, count } = messageOf(frame, Progress)
      progress?.(noun, count)
    } else if (frame.letter === FRAME.done) return messageOf(frame, Done)
    else throw frame.letter === FRAME.failed ? failureIn(frame) : new FramesDamaged('A frame came that is not known here.')
  }

  async function member(frame: Frame): Promise<void> {
    const begun = messageOf(frame, Begun)
    if (begun.kind === LINES) {
      if (named.has(begun.file)) throw new FramesDamaged(`${begun.file} came twice.`)
      named.add(begun.file)
      return draft.addNamed(begun.file, content(Infinity), { kind: LINES })
    }
    try {
      await draft.addStream(() => content(maxFileMb * MB), begun.digest, begun.bytes, { kind: FILE })
    } catch (error) {
      if (error instanceof FileBroken) return
      throw error instanceof SourceChanged ? new FramesDamaged('A file arrived with other bytes than its name says.') : error
    }
    // One that was there already is passed over.
    if (frames.isInFile) for await (const _ of content(maxFileMb * MB));
  }
}

const Failed = z.object({ id: z.string(), message: z.string(), data: z.unknown().optional() })

/** What the sender failed with. */
function failureIn(frame: Frame): Failure {
  return describeFailure(messageOf(frame, Failed))
}
