import type { Nodes, Parents, Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { toString as textOf } from 'mdast-util-to-string'
import { gfm } from 'micromark-extension-gfm'

/** Words that a sentence may have. */
const SENTENCE_WORDS = 25
/** Characters of a paragraph: four lines of 120. */
const PARAGRAPH_CHARACTERS = 480

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })

/** Paragraphs of running text, with those of lists; tables, headings and code are no prose. */
function* paragraphsOf(node: Nodes): Generator<Parents> {
  if (node.type === 'paragraph') yield node
  else if ('children' in node && node.type !== 'table' && node.type !== 'heading') {
    for (const child of node.children) yield* paragraphsOf(child)
  }
}

/** As somebody reads it: a piece of code or a link's text is one word or its words, its address none. */
const readable = (node: Nodes): string => {
  if (node.type === 'inlineCode') return 'code'
  if (node.type === 'break') return ' '
  if (!('children' in node)) return textOf(node)
  return node.children.map(readable).join('')
}

/** A semicolon ends a sentence, a colon does not. */
const splitSentences = (text: string): string[] =>
  [...sentences.segment(text)].flatMap(({ segment }) => segment.split(/; /)).map((sentence) => sentence.trim())

const wordsOf = (sentence: string): number => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length

/** What is too long in a Markdown text, each as `line: words or characters, how it begins`. */
export const longProse = (markdown: string): string[] => {
  const root: Root = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })
  return [...paragraphsOf(root)].flatMap((paragraph) => {
    const line = paragraph.position?.start.line ?? 0
    const text = readable(paragraph).replaceAll(/\s+/g, ' ')
    const long = splitSentences(text).filter((sentence) => wordsOf(sentence) > SENTENCE_WORDS)
    return [
      ...long.map((sentence) => `${line}: a sentence of ${wordsOf(sentence)} words: ${sentence.slice(0, 60)}…`),
      ...(text.length > PARAGRAPH_CHARACTERS ? [`${line}: a paragraph of ${text.length} characters`] : []),
    ]
  })
}
