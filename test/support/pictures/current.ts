/**
 * Checks that a picture of the documents shows what the project displays now. `PICTURES=write` draws it again: run the test that
 * fails with it, and commit the file.
 */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'

const FOLDER = fileURLToPath(new URL('../../../docs/pictures', import.meta.url))
const isWriting = process.env['PICTURES'] === 'write'
const ADVICE = 'the picture is out of date: run this test with PICTURES=write, and commit the picture'

const digest = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')
const pathOf = (name: string): string => join(FOLDER, name)

/** Compares a text picture with its file. */
export function expectCurrentText(name: string, content: string): void {
  if (isWriting) writeFileSync(pathOf(name), content)
  expect(readFileSync(pathOf(name), 'utf8'), ADVICE).toBe(content)
}

/**
 * Compares the content that a screenshot was taken of, since browsers draw the same page differently. The digests of that content
 * and of the file are in `digests.json`.
 */
export async function expectCurrentScreenshot(name: string, content: string, draw: () => Promise<Uint8Array>): Promise<void> {
  const digests = JSON.parse(readFileSync(pathOf('digests.json'), 'utf8')) as Record<string, { content: string; file: string }>
  if (isWriting) {
    const bytes = await draw()
    writeFileSync(pathOf(name), bytes)
    digests[name] = { content: digest(content), file: digest(bytes) }
    writeFileSync(pathOf('digests.json'), `${JSON.stringify(digests, null, 2)}\n`)
  }
  expect(digests[name], ADVICE).toEqual({ content: digest(content), file: digest(readFileSync(pathOf(name))) })
}
