/** Recognises files that are not text by their first bytes, and explains how to export a text file from them. */
import { CommandError } from '../../framework/exit.js'

interface FileKind {
  name: string
  advice: string
  matches(head: Buffer): boolean
}

const starts = (...bytes: number[]) => (head: Buffer): boolean => bytes.every((byte, index) => head[index] === byte)
const isZip = starts(0x50, 0x4b, 0x03, 0x04)
/** Names of the members of a ZIP archive and small stored members are readable in its bytes. */
const zipWith = (...words: string[]) => (head: Buffer): boolean => isZip(head) && words.some((word) => head.includes(word))
const isMarkup = (head: Buffer): boolean => /^\s*<(!doctype|html|table|\?xml)\b/i.test(head.subarray(0, 200).toString('latin1').replace(/^ï»¿/, ''))

const kinds: readonly FileKind[] = [
  {
    name: 'a Numbers document',
    advice: 'In Numbers: File → Export To → CSV. Each table becomes a file; import that one.',
    matches: zipWith('Index/', '.iwa'),
  },
  {
    name: 'an OpenDocument spreadsheet (ODS)',
    advice: 'In LibreOffice: File → Save As → Text CSV (.csv), with the character set UTF-8. It saves the current sheet.',
    matches: zipWith('application/vnd.oasis.opendocument'),
  },
  {
    name: 'an Excel workbook (XLSX)',
    advice: 'In Excel: File → Save As → CSV UTF-8 (Comma delimited). It saves the current sheet.',
    matches: zipWith('[Content_Types].xml', 'xl/', '_rels/'),
  },
  {
    name: 'an Excel workbook (XLS)',
    advice: 'In Excel or LibreOffice: File → Save As → CSV. It saves the current sheet.',
    matches: starts(0xd0, 0xcf, 0x11, 0xe0),
  },
  { name: 'a ZIP archive', advice: 'Unpack it, and import the text file in it.', matches: isZip },
  { name: 'compressed (gzip)', advice: 'Unpack it while reading: gunzip -c <file> | coffer … import -', matches: starts(0x1f, 0x8b) },
  { name: 'a PDF', advice: 'Get the measurements as CSV from the program that wrote it.', matches: starts(0x25, 0x50, 0x44, 0x46) },
  {
    name: 'a web page or XML',
    advice: 'Some programs name it .xls or .csv. Open it in a spreadsheet program, and save it as CSV.',
    matches: isMarkup,
  },
  { name: 'not text', advice: 'Export the data as CSV, and import that file.', matches: isBinary },
]

/** Refuses a file by its first bytes when it is a spreadsheet, an archive or other data that is not text. @throws CommandError 2 */
export function assertIsText(file: string, head: Buffer): void {
  const kind = kinds.find(({ matches }) => matches(head))
  if (kind === undefined) return
  const name = file === '-' ? 'The input' : file
  throw new CommandError(`${name} is ${kind.name}, which cannot be imported.`, { exit: 2, hint: kind.advice })
}

/** Control characters that texts do not contain; NUL is judged apart, for it is half of the bytes of UTF-16. */
function isBinary(head: Buffer): boolean {
  let odd = 0
  for (const byte of head) if ((byte < 0x20 && byte !== 0 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d && byte !== 0x0c && byte !== 0x1a) || byte === 0x7f) odd += 1
  return odd * 20 > head.length
}
