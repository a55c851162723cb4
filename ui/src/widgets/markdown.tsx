// Markdown as React elements: no HTML is made of what somebody wrote, so there is none to clean. HTML in it is
// shown as text.

import { Lexer, type Token, type Tokens } from "marked";
import { Fragment, type ReactNode } from "react";

/** What differs between texts that users write and the guide. */
export interface MarkdownRules {
  /** where a link leads; undefined: its text is shown alone */
  readonly href: (href: string) => string | undefined;
  /** the address of a picture; undefined: its text is shown */
  readonly image: (src: string) => string | undefined;
  /** ends of lines end lines */
  readonly breaks: boolean;
  readonly heading: (depth: number, text: string, children: ReactNode) => ReactNode;
}

const WRITTEN: MarkdownRules = {
  href: safeHref,
  image: () => undefined,
  breaks: true,
  heading: (depth, _, children) => heading(depth, children),
};

export interface MarkdownProps {
  readonly text: string;
  readonly rules?: MarkdownRules;
}

export function Markdown({ text, rules = WRITTEN }: MarkdownProps) {
  return <>{blocks(new Lexer({ gfm: true, breaks: rules.breaks }).lex(text), rules)}</>;
}

/** Where a link may lead: web pages, mail and places here. */
export function safeHref(href: string): string | undefined {
  return /^(?:https?:|mailto:|\/(?!\/)|#)/i.test(href.trim()) ? href.trim() : undefined;
}

function blocks(tokens: readonly Token[], rules: MarkdownRules): ReactNode {
  return tokens.map((token, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the text is parsed as a whole, its parts have no other names
    <Fragment key={at}>{block(token as Tokens.Generic, rules)}</Fragment>
  ));
}

function block(token: Tokens.Generic, rules: MarkdownRules): ReactNode {
  const children = inlines(token.tokens ?? [], rules);
  switch (token.type) {
    case "heading":
      return rules.heading(Number(token["depth"]), String(token["text"]), children);
    case "paragraph":
      return <p>{children}</p>;
    case "blockquote":
      return <blockquote>{blocks(token.tokens ?? [], rules)}</blockquote>;
    case "code":
      return (
        <pre>
          <code>{String(token["text"])}</code>
        </pre>
      );
    case "hr":
      return <hr />;
    case "list":
      return list(token as unknown as Tokens.List, rules);
    case "table":
      return table(token as unknown as Tokens.Table, rules);
    case "text":
      return token.tokens === undefined ? String(token["text"]) : children;
    case "html":
      return <p>{String(token["text"])}</p>;
    default:
      return null;
  }
}

// the page and the widget have the first two
function heading(depth: number, children: ReactNode): ReactNode {
  if (depth <= 1) return <h3>{children}</h3>;
  return depth === 2 ? <h4>{children}</h4> : <h5>{children}</h5>;
}

function list({ ordered, start, items }: Tokens.List, rules: MarkdownRules): ReactNode {
  const lines = items.map((item, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the text is parsed as a whole, its parts have no other names
    <li key={at}>
      {item.task ? `${item.checked === true ? "☑" : "☐"} ` : null}
      {blocks(item.tokens, rules)}
    </li>
  ));
  if (!ordered) return <ul>{lines}</ul>;
  return <ol start={start === "" ? 1 : start}>{lines}</ol>;
}

function table({ header, rows }: Tokens.Table, rules: MarkdownRules): ReactNode {
  return (
    <table>
      <thead>
        <tr>
          {header.map((cell, at) =>
            cell.text === "" ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: the text is parsed as a whole, its parts have no other names
              <td key={at} />
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: the text is parsed as a whole, its parts have no other names
              <th key={at} scope="col">
                {inlines(cell.tokens, rules)}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the text is parsed as a whole, its parts have no other names
          <tr key={at}>
            {row.map((cell, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the text is parsed as a whole, its parts have no other names
              <td key={n}>{inlines(cell.tokens, rules)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function inlines(tokens: readonly Token[], rules: MarkdownRules): ReactNode {
  return tokens.map((token, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the text is parsed as a whole, its parts have no other names
    <Fragment key={at}>{inline(token as Tokens.Generic, rules)}</Fragment>
  ));
}

function inline(token: Tokens.Generic, rules: MarkdownRules): ReactNode {
  const children =
    token.tokens === undefined ? String(token["text"] ?? token.raw) : inlines(token.tokens, rules);
  switch (token.type) {
    case "strong":
      return <strong>{children}</strong>;
    case "em":
      return <em>{children}</em>;
    case "del":
      return <del>{children}</del>;
    case "codespan":
      return <code>{String(token["text"])}</code>;
    case "br":
      return <br />;
    case "escape":
      return String(token["text"]);
    case "link": {
      const href = rules.href(String(token["href"]));
      return href === undefined ? (
        children
      ) : (
        <a href={href} rel="noopener noreferrer">
          {children}
        </a>
      );
    }
    case "image": {
      const src = rules.image(String(token["href"]));
      const said = String(token["text"]);
      return src === undefined ? said : <img src={src} alt={said} loading="lazy" />;
    }
    default:
      return children;
  }
}
