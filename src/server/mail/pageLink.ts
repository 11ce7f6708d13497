/** The address of a web page with parameters added, as mails carry it. The page may have parameters of its own. */
export function pageLink(page: string, parameters: Readonly<Record<string, string>>): string {
  return `${page}${page.includes('?') ? '&' : '?'}${new URLSearchParams(parameters).toString()}`
}
