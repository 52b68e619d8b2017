"""Tensors of torch come back equal, if it is installed: `make test-libraries` does not, since it takes gigabytes."""

from __future__ import annotations

from typing import Any

import holdall
import pytest

torch: Any = pytest.importorskip("torch")


def read(value: Any) -> Any:
    data = holdall.dumps(value)
    found = holdall.loads(data)
    assert holdall.dumps(found) == data
    return found


TENSORS = {
    "matrix": lambda: torch.arange(6.0).reshape(2, 3),
    "number": lambda: torch.tensor(3),
    "bfloat16": lambda: torch.tensor([1, 2], dtype=torch.bfloat16),
    "float16": lambda: torch.randn(2, 2, dtype=torch.float16),
    "float8": lambda: torch.randn(300).to(torch.float8_e4m3fn),
    "uint16": lambda: torch.tensor([1, 2], dtype=torch.uint16),
    "bool": lambda: torch.tensor([True, False]),
    "complex": lambda: torch.tensor([1 + 2j]),
    "conjugated": lambda: torch.tensor([1 + 2j]).conj(),
    "transposed": lambda: torch.randn(3, 4).t(),
    "empty": lambda: torch.zeros(0, 3),
    "large": lambda: torch.randn(1000, 1000),
    "with gradient": lambda: torch.randn(4, requires_grad=True),
    "parameter": lambda: torch.nn.Parameter(torch.randn(3)),
    "fixed parameter": lambda: torch.nn.Parameter(torch.randn(3), requires_grad=False),
}


@pytest.mark.parametrize("name", TENSORS)
def test_tensors_come_back_equal(name: str) -> None:
    tensor = TENSORS[name]()
    found = read(tensor)
    assert type(found) is type(tensor)
    assert (found.dtype, found.shape) == (tensor.dtype, tensor.shape)
    assert found.requires_grad == tensor.requires_grad
    exact = torch.complex128 if tensor.is_complex() else torch.float64
    assert torch.equal(found.detach().to(exact), tensor.detach().to(exact))
    # It has memory of its own, which can be written.
    found.detach().zero_()


def test_a_tensor_keeps_its_attributes_and_its_identity() -> None:
    tensor = torch.ones(2)
    tensor.label = "weights"
    one, other = read([tensor, tensor])
    assert one is other
    assert one.label == "weights"


def test_the_states_of_a_model_and_an_optimizer_come_back() -> None:
    def model() -> Any:
        return torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))

    first, second, inputs = model(), model(), torch.randn(2, 3)
    second.load_state_dict(read(first.state_dict()))
    assert torch.equal(first(inputs), second(inputs))
    optimizer = torch.optim.Adam(first.parameters())
    first(inputs).sum().backward()
    optimizer.step()
    state = optimizer.state_dict()
    found = read(state)
    assert found["param_groups"] == state["param_groups"]
    assert torch.equal(found["state"][0]["exp_avg"], state["state"][0]["exp_avg"])
    whole = holdall.loads(holdall.dumps(first), types=[torch])
    assert torch.equal(whole(inputs), first(inputs))


@pytest.mark.parametrize("kind", ["sparse", "meta"])
def test_tensors_elsewhere_are_refused(kind: str) -> None:
    tensor = torch.eye(2).to_sparse() if kind == "sparse" else torch.zeros(2, device="meta")
    with pytest.raises(holdall.EncodeError, match=r"in \$\.a: only dense tensors on the CPU"):
        holdall.dumps({"a": tensor})


def test_other_content_is_an_error() -> None:
    numbers = torch.ones(3).numpy()
    for content in (1, {}, {"dtype": "nn", "data": numbers}, {"dtype": "float64", "data": numbers}):
        data = holdall.dumps(holdall.Extension("torch.Tensor", content))
        with pytest.raises(holdall.DecodeError, match=r"torch refuses|no table, and no parts"):
            holdall.loads(data)
