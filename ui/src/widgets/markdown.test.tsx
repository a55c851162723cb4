import { render } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Markdown, safeHref } from "./markdown";

const html = (text: string) => render(<Markdown text={text} />).container.innerHTML;

describe("markdown", () => {
  it("has headings, lists, tables, code and links", () => {
    const shown = html(
      "# Rack 7\n\n- **first**\n- `second`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[wiki](https://wiki.example/7)",
    );
    expect(shown).toContain("<h3>Rack 7</h3>");
    expect(shown).toContain("<strong>first</strong>");
    expect(shown).toContain("<code>second</code>");
    expect(shown).toContain("<td>2</td>");
    expect(shown).toContain('<a href="https://wiki.example/7" rel="noopener noreferrer">wiki</a>');
  });

  it("makes no HTML of what was written, and leads nowhere else", () => {
    const shown = html(
      '<img src=x onerror="alert(1)">\n\n[bad](javascript:alert(1)) <b onclick=x>y</b>',
    );
    expect(shown).not.toContain("<img");
    expect(shown).not.toContain("<b ");
    expect(shown).not.toContain("href=");
    expect(safeHref("//evil.example")).toBeUndefined();
    expect(safeHref("/hosts/7")).toBe("/hosts/7");
    expect(safeHref(" JavaScript:x")).toBeUndefined();
  });
});
