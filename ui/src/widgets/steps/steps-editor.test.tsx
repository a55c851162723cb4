import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import { checkSteps } from "@/lib/steps";
import { moved } from "@/widgets/keyed";
import { newStep, ofKind, type StepDraft, stepOf, toStep } from "./draft";
import { StepsEditor } from "./steps-editor";

const wire = (type: string, params: string, handler = "0", text = "") => ({
  type,
  params,
  error_handler: handler,
  error_handler_params: text,
});

function Editor({ initial }: { readonly initial: readonly StepDraft[] }) {
  const [steps, setSteps] = useState(initial);
  return (
    <MantineProvider>
      <StepsEditor
        steps={steps}
        checks={checkSteps(steps)}
        onChange={setSteps}
        disabled={false}
        showErrors={false}
      />
      <output>{JSON.stringify(steps.map(toStep))}</output>
    </MantineProvider>
  );
}

const shown = () => JSON.parse(screen.getByRole("status").textContent ?? "") as unknown;

describe("steps", () => {
  it("stay what they were when nothing is changed", () => {
    for (const sent of [
      wire("5", "(\\d+)\n\\1", "3", "no"),
      wire("21", "return 1;\nx"),
      wire("26", "-1", "2", "0"),
      // stored by an API that took it: not ours to drop
      wire("21", "return 1", "1"),
    ]) {
      expect(toStep(stepOf(sent))).toEqual(sent);
    }
  });

  it("of another kind keep what happens on failure only where it can", () => {
    const step = { ...newStep(), onFail: "2", onFailParams: "0" };
    expect(ofKind(step, "12").onFail).toBe("2");
    expect(ofKind(step, "19").onFail).toBe("0");
    expect(ofKind({ ...step, onFail: "0" }, "26").onFail).toBe("1");
  });

  it("move without changing the order of the others", () => {
    expect(moved(["a", "b", "c"], 0, 2)).toEqual(["b", "c", "a"]);
    expect(moved(["a", "b", "c"], 2, 1)).toEqual(["a", "c", "b"]);
    expect(moved(["a"], 0, 5)).toEqual(["a"]);
  });
});

describe("the editor of steps", () => {
  it("moves a step by the arrow keys, and its handle keeps the focus", async () => {
    const user = userEvent.setup();
    const initial = [wire("1", "8"), wire("12", "$.a"), wire("10", "")];
    render(<Editor initial={initial.map(stepOf)} />);
    screen.getByRole("button", { name: "Step 3: move with the arrow keys" }).focus();
    await user.keyboard("{ArrowUp}");
    await user.keyboard("{ArrowUp}");
    expect(shown()).toEqual([initial[2], initial[0], initial[1]]);
    expect(document.activeElement?.getAttribute("aria-label")).toBe(
      "Step 1: move with the arrow keys",
    );
    await user.keyboard("{ArrowUp}");
    expect(shown()).toEqual([initial[2], initial[0], initial[1]]);
  });

  it("adds and removes fields of a step whose parameters repeat", async () => {
    const user = userEvent.setup();
    render(<Editor initial={[stepOf(wire("29", "{#A}\n1.3\n0"))]} />);
    await user.click(screen.getByRole("button", { name: "Add field to step 1" }));
    await user.type(screen.getByLabelText("OID prefix 2 of step 1"), "1.4");
    expect(shown()).toEqual([wire("29", "{#A}\n1.3\n0\n\n1.4\n0")]);
    expect(screen.getByText("a field name is required")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Remove field 1 of step 1" }));
    expect(shown()).toEqual([wire("29", "\n1.4\n0")]);
  });

  it("shows a pattern only where an error is matched", async () => {
    render(<Editor initial={[stepOf(wire("26", "-1", "1"))]} />);
    expect(screen.queryByLabelText("Pattern of step 1")).toBeNull();
    render(<Editor initial={[stepOf(wire("26", "0\nx", "1"))]} />);
    expect(screen.getByLabelText("Pattern of step 1")).toBeTruthy();
  });
});
