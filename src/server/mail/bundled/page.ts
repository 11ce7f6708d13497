/** The frame of the built-in templates, which operators copy and change: each is whole by itself. */

export interface Bundled {
  subject: string
  html: string
}

/** A template whose paragraphs are lines of Pug. The text of a mail is made from its page, so nothing is said twice. */
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
