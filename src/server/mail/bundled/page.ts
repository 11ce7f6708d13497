/** The common layout of the built-in templates. Operators copy and change them, so each one is self-contained. */

export interface Bundled {
  subject: string
  html: string
}

/** Returns a template whose paragraphs are lines of Pug. The plain text of a mail is derived from its HTML. */
export function page(lang: string, subject: string, paragraphs: readonly string[]): Bundled {
  const body = paragraphs.map((line) => `    ${line}\n`).join('')
  return {
    subject: `| ${subject}\n`,
    html: `doctype html
html(lang='${lang}')
  head
    meta(charset='utf-8')
  body(style='font-family: sans-serif; line-height: 1.5; color: #222; max-width: 36em; margin: 2em auto; padding: 0 1em')
${body}`,
  }
}
